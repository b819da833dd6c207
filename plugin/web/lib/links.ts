/** Checks the targets of links. */

/** The link if it opens Obsidian, else null: the server cannot make the page open other programs. */
export function obsidianLink(uri: string): string | null {
  return uri.startsWith("obsidian://open?") ? uri : null;
}

/** The URL of an external link in a note, or null where its scheme is not allowed. */
export function outwardLink(href: string): string | null {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:", "obsidian:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null; // a relative link to a file, which the server does not serve
  }
}
