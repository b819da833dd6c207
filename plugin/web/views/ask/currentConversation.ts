/** Which conversation this tab is in, vault by vault: it goes on where the page is loaded anew. */

const name = (vault: string | undefined): string => `notewell:conversation:${vault ?? ""}`;

export function currentConversation(vault: string | undefined): string | undefined {
  try {
    return sessionStorage.getItem(name(vault)) ?? undefined;
  } catch {
    return undefined; // a page that may keep nothing
  }
}

/** Keeps the id of a conversation; undefined forgets it. */
export function setCurrentConversation(vault: string | undefined, id: string | undefined): void {
  try {
    if (id) sessionStorage.setItem(name(vault), id);
    else sessionStorage.removeItem(name(vault));
  } catch {
    // The conversation is in the page alone.
  }
}
