/** Stored conversations: which one this tab is in, a list to continue one from, and deleting one. */

import { asServerError } from "../../../src/client";
import type { AskConversationView } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { ago } from "../../lib/format";
import { refusalOf } from "../../parts/refusals";
import { t } from "../../../src/texts";

const SHOWN = 5;

/** The list; `open` is called with the id of the selected conversation. Null where there are none. */
export function earlierList(conversations: readonly AskConversationView[], open: (id: string) => void): HTMLElement | null {
  if (conversations.length === 0) return null;
  const rows = conversations.slice(0, SHOWN).map(({ conversation, question, turns, asked }) =>
    h(
      "li",
      {},
      button(question, () => open(conversation), { class: "quiet", dir: "auto" }),
      h("span", { class: "faint" }, `${count(turns, "question", "questions")}, ${ago(asked)}`),
    ),
  );
  return h("nav", { class: "ask-earlier", "aria-labelledby": "ask-earlier" }, h("h3", { id: "ask-earlier" }, t("Earlier conversations")), h("ul", {}, ...rows));
}

/** A button that deletes a conversation at the second press, and then calls `done`. */
export function deleteButton(context: ViewContext, conversation: string, done: () => void): HTMLElement {
  let isSure = false;
  const press = async (): Promise<void> => {
    if (!isSure) {
      isSure = true;
      el.textContent = t("Really delete?");
      return;
    }
    try {
      await context.vaultClient.forgetConversation(conversation);
      context.showNotice(t("Conversation deleted"));
      done();
    } catch (error) {
      context.showNotice(refusalOf(asServerError(error)));
    }
  };
  const el = button(t("Delete"), () => void press(), { class: "quiet" });
  return el;
}

const storageKey = (vault: string | undefined): string => `notewell:conversation:${vault ?? ""}`;

export function currentConversation(vault: string | undefined): string | undefined {
  try {
    return sessionStorage.getItem(storageKey(vault)) ?? undefined;
  } catch {
    return undefined; // storage is unavailable
  }
}

/** Stores the id of the conversation of this tab; undefined removes it. */
export function setCurrentConversation(vault: string | undefined, id: string | undefined): void {
  try {
    if (id) sessionStorage.setItem(storageKey(vault), id);
    else sessionStorage.removeItem(storageKey(vault));
  } catch {
    // Without storage the conversation does not survive a reload.
  }
}
