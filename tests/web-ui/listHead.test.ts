/** The line above a list of results. */

import { expect, it } from "vitest";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { ListHead } from "../../plugin/web/parts/listHead";
import { unknownWord } from "../../plugin/web/parts/noMatch";
import { aReply, aResult, aStatus, aVault, FakeServer, TOKEN } from "../plugin/samples";

it("does not repeat why there is no meaning, which the strip above tells", () => {
  const client = new WebClient(new FakeServer().transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN });
  const context = new ViewContext(client, [aVault({ default: true })], [], null as never);
  const head = new ListHead(context, document.createElement("ol"));
  const why = "the model is not on this computer";
  const reply = { ...aReply([aResult("Bees.md")]), warnings: [`Semantic search is unavailable: ${why}.`, "A part is left out."] };
  const warnings = (): (string | null)[] => [...head.el.querySelectorAll(".warning")].map((el) => el.textContent);

  head.show(reply, 1);
  expect(warnings(), "nothing else tells it").toEqual(reply.warnings);
  Object.defineProperty(context, "status", { value: { status: { ...aStatus(), semantic_reason: `${why}.` } } });
  head.show(reply, 1);
  expect(warnings()).toEqual(["A part is left out."]);
});

it("says which words nothing has, as the server told it", () => {
  expect(unknownWord(["A part is left out."])).toBeNull();
  for (const told of [
    "Nothing has the word “kangaroo”.",
    "Nothing has the words “kangaroo” or “quokka”.",
  ]) {
    expect(`${unknownWord(["A part is left out.", told])}.`).toBe(told);
  }
  expect(unknownWord(["Nothing has the words “a”, “b” or “c”."])).toBe("Nothing has the words “a”, “b”, or “c”");
});
