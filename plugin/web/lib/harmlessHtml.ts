/** The few tags of HTML in a note that are drawn, as elements without attributes. */

import { h } from "./dom";
import { withoutTags } from "./blocks";
import { t } from "../../src/texts";

/** An element that begins, and the name of one that ends after it. */
interface HtmlPiece {
  readonly opens: HTMLElement | null;
  readonly closes: string | null;
}

const INLINE = /^<(\/?)(sub|sup|kbd|mark|u|del|ins|small)\s*>$/i;
const DETAILS = /^\s*<details\b([^<>]*)>([\s\S]*)$/i;
const SUMMARY = /<summary\b[^<>]*>([\s\S]*?)<\/summary\s*>/i;
const DETAILS_END = /<\/details\s*>\s*$/i;

/** What a token of HTML draws; null where only the text in it is shown. */
export function readHtml(type: "html_inline" | "html_block", content: string): HtmlPiece | null {
  if (type === "html_block") return details(content);
  const found = INLINE.exec(content);
  if (!found) return null;
  const [, isEnd, name = ""] = found;
  return isEnd ? { opens: null, closes: name.toUpperCase() } : { opens: document.createElement(name.toLowerCase()), closes: null };
}

/** `<details>` with its summary; a blank line in it begins Markdown, after which its end is a token of its own. */
function details(content: string): HtmlPiece | null {
  const closes = DETAILS_END.test(content) ? "DETAILS" : null;
  const found = DETAILS.exec(content);
  if (!found) return closes && !withoutTags(content).trim() ? { opens: null, closes } : null;
  const [, attributes = "", inner = ""] = found;
  const summary = withoutTags(SUMMARY.exec(inner)?.[1] ?? "").trim() || t("Details");
  const rest = withoutTags(inner.replace(SUMMARY, "")).trim();
  const isOpen = /(^|\s)open(\s|=|$)/i.test(attributes);
  return { opens: h("details", { open: isOpen, dir: "auto" }, h("summary", {}, summary), rest && h("p", { dir: "auto" }, rest)), closes };
}
