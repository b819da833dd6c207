/** What is said where something is refused. */

import { expect, it } from "vitest";
import { ServerError } from "../../plugin/src/client";
import { refusalOf } from "../../plugin/web/parts/refusals";

const refused = (code: string, status: number, message = "protected: Notes/A.md (hash mismatch)"): string => refusalOf(new ServerError("refused", message, status, code));

it("says what happened and what to do next, in plain words", () => {
  expect(refused("note_changed", 409)).toBe("The note changed in the meantime. Look at it again, then repeat what you did.");
  expect(refused("read_only", 403)).toContain("Start it without --read-only");
  for (const code of ["scope_required", "protected", "write_failed", "outside_vault", "bad_name", "consent_required"]) {
    expect(refused(code, 400)).toMatch(/^[A-Z].*[.] [A-Z].*[.]$/);
  }
});

it("gives the server's own words where it knows better, and the usual ones where there is no server", () => {
  expect(refused("something_new", 400, "The run is over already.")).toBe("The run is over already.");
  expect(refused("x", 429)).toMatch(/^Too many requests/);
  expect(refusalOf(new ServerError("unreachable", "fetch failed"))).toContain("notewell serve");
});
