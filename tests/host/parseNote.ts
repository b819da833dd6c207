/**
 * What the app's metadata cache says of a note: properties, headings, tags, links and embeds. Lists,
 * sections and blocks are left out: the plugin asks for none. (The parser of obsidian-test-mocks hashes
 * every note, knows tags of ASCII only, and throws at properties that are not YAML.)
 */

import type { CachedMetadata, FrontMatterCache, Loc, Pos } from "obsidian";
import { parse } from "yaml";

const PROPERTIES = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t]*$/;
const CODE = /`[^`]+`/g;
const TAG = /(?:^|\s)#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)/gu;
const WIKI = /(!?)\[\[([^\]|\n]+)(?:\|([^\]\n]*))?\]\]/g;
const MARKDOWN = /(!?)\[([^\]\n]*)\]\(([^)\s]+)[^)\n]*\)/g;

interface Line {
  /** With code blanked out: what is left has the same length. */
  readonly text: string;
  readonly number: number;
  readonly offset: number;
}

/** Where the properties cannot be read the app takes the note without them, and so does this. */
export function parseNote(text: string): CachedMetadata {
  const block = PROPERTIES.exec(text)?.[0] ?? "";
  const cache: CachedMetadata = block ? withProperties(text, block) : {};
  for (const line of proseLines(text, block.length)) {
    const [, marks, heading] = HEADING.exec(line.text) ?? [];
    if (marks && heading) {
      const whole = text.slice(line.offset, line.offset + line.text.length).replace(/^#+\s+/, "").trim();
      (cache.headings ??= []).push({ heading: whole, level: marks.length, position: positionIn(line, 0, line.text.length) });
    }
    addTags(cache, line);
    addLinks(cache, line);
  }
  return cache;
}

function withProperties(text: string, block: string): CachedMetadata {
  const frontmatter = propertiesOf(text);
  if (!frontmatter) return {};
  const lines = block.trimEnd().split("\n");
  const end = { line: lines.length - 1, col: lines.at(-1)?.length ?? 0, offset: block.trimEnd().length };
  const frontmatterLinks = Object.entries(frontmatter).flatMap(([key, value]) => linksIn(key, value));
  const links = frontmatterLinks.length > 0 ? { frontmatterLinks } : {};
  return { frontmatter, frontmatterPosition: { start: { line: 0, col: 0, offset: 0 }, end }, ...links };
}

/** The properties; null where there are none, or where they are no table of YAML. */
export function propertiesOf(text: string): FrontMatterCache | null {
  const yaml = PROPERTIES.exec(text)?.[1];
  if (yaml === undefined) return null;
  try {
    const found: unknown = parse(yaml, { uniqueKeys: false, logLevel: "error" });
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found) : null;
  } catch {
    return null; // a template's placeholders, for example
  }
}

/** The lines behind the properties and outside of fenced code. */
function* proseLines(text: string, from: number): Generator<Line> {
  let fence = "";
  let offset = 0;
  for (const [number, raw] of text.split("\n").entries()) {
    const [, marks = ""] = FENCE.exec(raw) ?? [];
    const isInside = offset >= from && !fence && !marks;
    if (isInside && raw) yield { text: raw.replace(CODE, (code) => " ".repeat(code.length)), number, offset };
    if (offset >= from && marks) fence = !fence ? marks : marks.startsWith(fence) ? "" : fence;
    offset += raw.length + 1;
  }
}

function addTags(cache: CachedMetadata, line: Line): void {
  for (const match of line.text.matchAll(TAG)) {
    const at = match.index + match[0].indexOf("#");
    const tag = `#${match[1] ?? ""}`;
    (cache.tags ??= []).push({ tag, position: positionIn(line, at, at + tag.length) });
  }
}

function addLinks(cache: CachedMetadata, line: Line): void {
  const add = (isEmbed: boolean, match: RegExpExecArray, link: string, displayText: string): void => {
    const position = positionIn(line, match.index, match.index + match[0].length);
    (isEmbed ? (cache.embeds ??= []) : (cache.links ??= [])).push({ link, original: match[0], displayText, position });
  };
  for (const match of line.text.matchAll(WIKI)) add(match[1] === "!", match, match[2] ?? "", match[3] ?? match[2] ?? "");
  for (const match of line.text.matchAll(MARKDOWN)) {
    if (!/^[a-z][a-z\d+.-]*:/i.test(match[3] ?? "")) add(match[1] === "!", match, unescaped(match[3] ?? ""), match[2] ?? "");
  }
}

/** Links in notes are escaped like addresses. */
function unescaped(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}

function linksIn(key: string, value: unknown): NonNullable<CachedMetadata["frontmatterLinks"]> {
  if (Array.isArray(value)) return value.flatMap((item, n) => linksIn(`${key}.${n}`, item));
  if (typeof value !== "string") return [];
  return [...value.matchAll(WIKI)].map(([original, , link = "", displayText]) => ({
    key,
    link,
    original,
    ...(displayText === undefined ? {} : { displayText }),
  }));
}

function positionIn(line: Line, from: number, to: number): Pos {
  const at = (col: number): Loc => ({ line: line.number, col, offset: line.offset + col });
  return { start: at(from), end: at(to) };
}
