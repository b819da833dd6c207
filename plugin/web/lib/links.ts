/** Where links may lead. */

/** A link into Obsidian, or null: the server's word alone is not enough to open another program. */
export function obsidianLink(uri: string): string | null {
  return uri.startsWith("obsidian://open?") ? uri : null;
}

/** A link of a note to the world, or null where following it could do harm. */
export function outwardLink(href: string): string | null {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:", "obsidian:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null; // relative: a note's neighbour file, which is not served
  }
}
