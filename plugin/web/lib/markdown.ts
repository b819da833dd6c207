/**
 * Renders a note's Markdown as elements. markdown-it parses it; the elements are created here from a
 * short list of allowed tags. There are no HTML strings: of HTML in a note, a few harmless tags and its text are shown.
 */

import MarkdownItMaker, { type Token } from "markdown-it";
import { button, h } from "./dom";
import { outwardLink } from "./links";
import { addBlocks, withoutTags, type Extras } from "./blocks";
import { readHtml } from "./harmlessHtml";
import { callout } from "./callouts";
import { addMath } from "./mathSyntax";
import { addSyntax, body } from "./syntax";
import { t } from "../../src/texts";

export interface Links {
  /** The address of the note that a wikilink names, or null where there is none. */
  readonly note: (target: string) => string | null;
  readonly tag: (tag: string) => string;
}

const md = new MarkdownItMaker({ html: true, linkify: true, breaks: true });
addSyntax(md);
addMath(md);
addBlocks(md);

/** Of a longer note, only the beginning is drawn. */
const MOST_DRAWN = 600_000;

/** Deeper elements of HTML are not drawn: nobody writes them by hand. */
const MOST_NESTED = 60;

const CONTAINERS = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td em strong s mark".split(" "),
);

/** What has a bar, bullets or columns on one side. A browser's `dir=auto` does not look into their paragraphs. */
const SIDED = new Set(["BLOCKQUOTE", "UL", "OL", "TABLE"]);

/** The direction of the first letter that has one, of Hebrew, Arabic and their relatives to the left. */
function directionOf(text: string): "ltr" | "rtl" {
  const first = /\p{L}/u.exec(text.replace(/^\s*\[![\w-]+\]/, ""))?.[0] ?? ""; // the kind of a callout is no text
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(first) ? "rtl" : "ltr";
}

/** Renders a note's text. Block elements have their line in the file as `data-line`. */
export function render(content: string, links: Links): DocumentFragment {
  const { text, lines } = body(content);
  const extras: Extras = { footnotes: new Map() };
  const drawing = new Drawing(links, lines);
  drawing.draw(md.parse(text.slice(0, MOST_DRAWN), { ...extras }));
  const { root } = drawing;
  if (text.length > MOST_DRAWN) root.append(h("p", { class: "faint" }, t("This note goes on; the rest of it is in the note itself.")));
  drawFootnotes(root, extras, links);
  return root;
}

/** The footnotes that the text refers to, in its order, and numbers that lead there and back. */
function drawFootnotes(root: DocumentFragment, { footnotes }: Extras, links: Links): void {
  const marks = [...root.querySelectorAll<HTMLElement>("sup[data-footnote]")];
  const names = [...new Set(marks.map((mark) => mark.dataset["footnote"] ?? ""))];
  const items = names.map((name) => {
    const drawing = new Drawing(links, 0);
    drawing.draw(md.parse(footnotes.get(name) ?? "", {}));
    for (const el of drawing.root.querySelectorAll<HTMLElement>("[data-line]")) delete el.dataset["line"];
    const back = button("↩", () => marks.find(({ dataset }) => dataset["footnote"] === name)?.scrollIntoView({ block: "center" }), { class: "footnote-back", "aria-label": t("Back to the text") });
    return h("li", { tabindex: "-1" }, drawing.root, back);
  });
  for (const mark of marks) {
    const at = names.indexOf(mark.dataset["footnote"] ?? "");
    const go = (): void => {
      items[at]?.scrollIntoView({ block: "center" });
      items[at]?.focus({ preventScroll: true });
    };
    mark.append(button(String(at + 1), go, { class: "footnote-mark", "aria-label": t("Footnote {n}", { n: at + 1 }) }));
  }
  if (items.length) root.append(h("section", { class: "footnotes", role: "note", "aria-label": t("Footnotes") }, h("ol", {}, ...items)));
}

class Drawing {
  readonly root = document.createDocumentFragment();
  readonly #links: Links;
  readonly #before: number;
  readonly #open: (DocumentFragment | HTMLElement)[] = [this.root];
  /** Those of them that HTML in the note opened, and perhaps never closes. */
  readonly #ofHtml = new Set<DocumentFragment | HTMLElement>();

  constructor(links: Links, before: number) {
    this.#links = links;
    this.#before = before;
  }

  draw(tokens: readonly Token[]): void {
    for (const token of tokens) {
      if (token.nesting === 1) this.#enter(token);
      else if (token.nesting === -1) this.#leave(token);
      else this.#leaf(token);
    }
  }

  get #current(): DocumentFragment | HTMLElement {
    return this.#open.at(-1) ?? this.root;
  }

  #enter(token: Token): void {
    if (token.hidden) return;
    const el = this.#element(token);
    if (token.map) el.dataset["line"] = String(token.map[0] + 1 + this.#before);
    this.#current.append(el);
    this.#open.push(el);
  }

  #leave(token: Token): void {
    if (token.hidden) return;
    while (this.#ofHtml.has(this.#current)) this.#open.pop();
    const el = this.#open.pop();
    if (el instanceof HTMLElement && SIDED.has(el.tagName)) el.dir = directionOf(el.textContent);
    if (token.type === "blockquote_close" && el instanceof HTMLElement) callout(el);
    if (token.type === "list_item_close" && el instanceof HTMLElement) task(el);
  }

  #element(token: Token): HTMLElement {
    if (token.type === "link_open") return link(String(token.attrGet("href") ?? ""), this.#links);
    if (!CONTAINERS.has(token.tag)) return h("div");
    const el = document.createElement(token.tag);
    el.dir = "auto";
    if (token.tag === "ol" && token.attrGet("start")) el.setAttribute("start", String(token.attrGet("start")));
    return el;
  }

  #leaf(token: Token): void {
    if (token.type === "inline") this.draw(token.children ?? []);
    else if (!this.#html(token)) {
      const drawn = this.#drawn(token);
      if (token.map && drawn instanceof HTMLElement) drawn.dataset["line"] = String(token.map[0] + 1 + this.#before);
      this.#current.append(drawn);
    }
  }

  /** Draws the few harmless tags of HTML, without their attributes; false for other tokens. */
  #html({ type, content }: Token): boolean {
    if (type !== "html_inline" && type !== "html_block") return false;
    const found = readHtml(type, content);
    if (!found) return false;
    const { opens, closes } = found;
    if (opens && this.#open.length < MOST_NESTED) {
      this.#current.append(opens);
      this.#open.push(opens);
      this.#ofHtml.add(opens);
    }
    const { tagName } = this.#current as Partial<HTMLElement>;
    if (closes && tagName === closes && this.#ofHtml.has(this.#current)) this.#open.pop();
    return true;
  }

  #drawn(token: Token): Node | string {
    const make = LEAVES[token.type];
    return make ? make(token, this.#links) : token.content;
  }
}

/** How tokens without children are rendered. */
const LEAVES: Readonly<Record<string, (token: Token, links: Links) => Node | string>> = {
  text: ({ content }) => content.replace(/(^|\s)\^[\w-]+$/, ""), // a block's id
  softbreak: () => h("br"),
  hardbreak: () => h("br"),
  hr: () => h("hr"),
  code_inline: ({ content }) => h("code", {}, content),
  fence: fenced,
  code_block: codeBlock,
  math: formula,
  wikilink,
  footnote: ({ content }) => h("sup", { "data-footnote": content }),
  html_inline: ({ content }) => (/^<br\s*\/?>$/i.test(content) ? h("br") : ""),
  html_block: ({ content }) => {
    const text = withoutTags(content).trim();
    return text ? h("p", { dir: "auto" }, text) : "";
  },
  tag: ({ content }, links) => h("a", { class: "tag", href: links.tag(content) }, content),
  image: picture,
};

function codeBlock({ content }: Token): HTMLElement {
  return h("pre", { tabindex: "0", dir: "ltr" }, h("code", {}, content));
}

/** Code in a language, which `enrich` colours, or draws where it is a diagram. */
function fenced(token: Token): HTMLElement {
  const el = codeBlock(token);
  const language = /^[\w#+.-]{1,30}/.exec(token.info.trim())?.[0].toLowerCase();
  if (language) el.dataset["code"] = language;
  return el;
}

/** A formula as it is written, until `enrich` sets it. */
function formula({ content, meta }: Token): HTMLElement {
  const isApart = meta?.["isApart"] === true;
  return h(isApart ? "div" : "span", { class: isApart ? "math is-apart" : "math", dir: "ltr", "data-math": isApart ? "apart" : "line" }, content);
}

function link(href: string, links: Links): HTMLElement {
  const outward = outwardLink(href);
  if (outward) return h("a", { href: outward, rel: "noopener noreferrer", target: "_blank", class: "outward" });
  const inner = links.note(decoded(href).replace(/\.md(?=#|$)/, ""));
  return inner ? h("a", { href: inner }) : h("span", { class: "nowhere" });
}

function wikilink(token: Token, links: Links): HTMLElement {
  const [target = "", shown] = token.content.split("|", 2);
  const isEmbed = token.meta?.["isEmbed"] === true;
  const label = shown?.trim() || target.trim().replace(/^#/, "").replaceAll("#", " › ");
  const href = links.note(target.trim());
  if (isEmbed && FILE.test(target.trim())) return embeddedFile(target.trim(), PAGES.test(target) ? href : null, label);
  const kind = isEmbed ? "embed" : "wikilink";
  if (!href) return h("span", { class: `nowhere ${kind}`, title: t("No note with this name") }, label);
  return h("a", { class: kind, href, "data-target": isEmbed ? target.trim() : null }, label);
}

function embeddedFile(name: string, href: string | null, label: string): HTMLElement {
  return h(href ? "a" : "span", { class: "picture", href, "data-file": name }, label);
}

/** Names of files that the server sends; the reader loads them in place of their names. */
const FILE = /\.(png|jpe?g|gif|webp|avif|bmp|svg|pdf)(#.*)?$/i;
/** Of them those that have pages, perhaps with the one that is meant; they are notes as well. */
const PAGES = /\.pdf(#|\s*$)/i;

/** Shows a picture of the vault by its name at first, and one elsewhere as a link: no other server is asked. */
function picture(token: Token): HTMLElement {
  const source = String(token.attrGet("src") ?? "");
  const label = token.content || decoded(source).split("/").at(-1) || t("picture");
  const outward = outwardLink(source);
  if (!outward) return h("span", { class: "picture", "data-file": FILE.test(source) ? decoded(source) : null }, label);
  return h("a", { class: "picture", href: outward, rel: "noopener noreferrer", target: "_blank" }, label);
}

/** `- [x] done` */
function task(item: HTMLElement): void {
  const holder = item.firstElementChild?.tagName === "P" ? item.firstElementChild : item;
  const first = holder.firstChild;
  const found = first instanceof Text ? /^\[(.)\]\s+/.exec(first.data) : null;
  if (!found || !(first instanceof Text)) return;
  first.data = first.data.slice(found[0].length);
  const isDone = found[1] !== " ";
  const sign = h("span", { class: "task", role: "img", "aria-label": isDone ? t("done") : t("to do") });
  item.classList.add("has-task");
  item.classList.toggle("is-done", isDone);
  first.before(sign);
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text; // a stray percent sign
  }
}
