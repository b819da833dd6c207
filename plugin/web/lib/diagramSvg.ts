/** Checks the picture of a diagram: only shapes and text, that load nothing, link nowhere and run nothing. */

import { t } from "../../src/texts";

const ELEMENTS = new Set("svg style defs marker polygon polyline path rect circle ellipse line text tspan g title".split(" "));
const ATTRIBUTES = new Set(
  ("xmlns viewBox width height style id markerWidth markerHeight refX refY orient points fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin" +
    " x y x1 y1 x2 y2 cx cy r rx ry d dx dy text-anchor dominant-baseline font-size font-weight font-style font-family letter-spacing opacity fill-opacity" +
    " marker-start marker-end transform class text-decoration").split(" "),
);
/** Of a picture, at most so much; a browser draws larger ones for seconds. */
const MOST_LENGTH = 600_000;

/** The library's own style names a font of another server. */
const LOADS = /@import\s+url\([^)]*\)\s*;?/g;
/** What may stand in a value: a colour, a size, or a mark that the picture defines itself. */
const REACHES_OUT = /url\(\s*['"]?(?!#)|@import|expression\(|javascript:/i;

/** The colours of the page, which the picture cannot ask for; dark where the reader's system is. */
const COLOURS =
  "svg{--bg:#fffefb!important;--fg:#211f1b!important;--muted:#6a6357;--line:#8d8676;--accent:#6a6357}" +
  "@media (prefers-color-scheme:dark){svg{--bg:#1e1d1a!important;--fg:#ebe6db!important;--muted:#a09888;--line:#7d766a;--accent:#a09888}}";

/** The picture as it may be shown. Throws Error where it holds anything but shapes and text. */
export function checkedSvg(drawn: string): string {
  if (drawn.length > MOST_LENGTH) throw new Error(t("This diagram is too large to be drawn here."));
  const svg = drawn.replace(LOADS, "").replace("</style>", `${COLOURS}</style>`);
  if (REACHES_OUT.test(svg)) throw new Error(t("This diagram refers to something outside."));
  for (const [, name = "", attributes = ""] of svg.matchAll(/<\/?([^\s/>]*)((?:"[^"]*"|[^">])*)>/g)) {
    const unknown = [...attributes.matchAll(/([^\s="/]+)\s*(?:=\s*("[^"]*"|\S+))?/g)].map(([, one = ""]) => one).find((one) => !ATTRIBUTES.has(one));
    if (!ELEMENTS.has(name) || unknown) throw new Error(t("This diagram holds more than shapes and text."));
  }
  return svg;
}

const MOST_WORDS = 400;

/** The words in the picture, one after the other. */
export function wordsOf(svg: string): string {
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) => text.trim());
  const plain = texts.join(", ").replace(/&(lt|gt|quot|apos|#39|amp);/g, (_, name: string) => SIGNS[name] ?? "");
  return plain.length > MOST_WORDS ? `${plain.slice(0, MOST_WORDS)}…` : plain;
}

const SIGNS: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", amp: "&" };
