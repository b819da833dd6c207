/** Checks the targets of links. */

/** The link if it opens Obsidian, else null: the server cannot make the page open other programs. */
export function obsidianLink(uri: string): string | null {
  return uri.startsWith("obsidian://open?") ? uri : null;
}

/** The link that shows an item in Zotero, if `uri` is one. */
export function zoteroLink(uri: string): string | null {
  return uri.startsWith("zotero://select/") ? uri : null;
}

/** The link that opens Obsidian at the heading of a note. */
export function atHeading(uri: string, heading: string): string {
  // What stands for itself in such links, Obsidian leaves out of headings.
  const name = heading.replace(/[#^|:%[\]\\]/g, " ").replace(/\s+/g, " ").trim();
  return name ? `${uri}%23${encodeURIComponent(name)}` : uri;
}

/** The link by which our plugin opens the note of `uri`, as `obsidianLink` gives it, with the cursor in a line; null where it names no vault. */
export function atLine(uri: string, path: string, line: number): string | null {
  const vault = new URL(uri).searchParams.get("vault");
  const name = (text: string): string => encodeURIComponent(text);
  return vault && `obsidian://notewell-open?vault=${name(vault)}&file=${name(path)}&line=${line}`;
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

/** Whether a path is that of a base, Obsidian's table of notes. */
export function isBase(path: string): boolean {
  return /\.base$/i.test(path);
}

/** The link by which Obsidian creates a note of a vault. */
export function newNote(vault: string, name: string): string {
  return `obsidian://new?vault=${encodeURIComponent(vault)}&name=${encodeURIComponent(name)}`;
}
