/** Reads the interface texts out of the code: those that go through the catalogue, and those that forgot to. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "../../plugin");
/** The catalogue itself, generated, or in a worker, which has no catalogue. */
const NOT_READ = /src\/(texts|catalogueProblem)\.ts$|contract\.ts$|web\/worker\/|\.d\.ts$/;
/** Files whose sentences are for other programs, for reports to the makers, or for nobody: names and drawings. */
const OF_PROGRAMS = /src\/(answer|api|shape|program|ui\/(diagnostics|icon))\.ts$|web\/(app\/pageKey|lib\/(callouts|diagramSvg|icons|workerAddress|pairing))\.ts$/;
/** Commands, examples, names of keys, headers and products, style classes, drawings: the same in every language. */
const NO_TEXT = [
  /^(notewell|make|uv|pipx|ollama|tailscale|curl|powershell|docs\/|http|Bearer|Starting \{\})/,
  /^(Notewell|Obsidian|Notewell for Obsidian|for Obsidian vaults|Desktops only\.|Answers?|Id|BM25)( |: \{\})?$/,
  /^(Enter|Mod|Alt|Shift|Tab|Ctrl|Esc|Arrow\w+)$/,
  /^(tree-item|search-result|clickable-icon|chip is|moved is|notewell-|math is-apart)|^\(.*:.*\)$|^M\d|^600 |^p h1|^\/home/,
  /^(sourdough|"left-hand|tag:|modified:7d|"exact words|## Gleanings|\[memory\]|\.notewell|Answers\/|Obsidian \{\}|name$)/,
];
/** Functions whose texts are no interface: they look something up, compare, or write a log. */
const LOOKS_UP =
  /(?:^|\.)(querySelector(All)?|closest|addEventListener|createDiv|createSpan|hasClass|addClass|toggleClass|setIcon|matches|matchMedia|getItem|setItem|icon|on|startsWith|endsWith|includes|split|join|replace(All)?|test|setAttribute|dispatchEvent|getElementById|getPropertyValue|localeCompare|append\w*Value|debug|info|warn|error)$/;
/** Attributes that hold names, not texts. */
const NAMES = /^(class|cls|id|type|role|for|href|rel|d|viewBox|fill|stroke|icon|key|tag|inputmode|autocomplete|method|kind|code|tabindex|xmlns)$/;

export interface Found {
  readonly file: string;
  readonly text: string;
}

interface Sources {
  /** Keys of the catalogue: English texts; of texts with forms, the plural. */
  readonly keys: ReadonlyMap<string, { readonly file: string; readonly hasForms: boolean }>;
  /** Calls whose text is not written there, so that nobody can translate it. */
  readonly unwritten: readonly Found[];
  /** Sentences and titles that are in no call. */
  readonly outside: readonly Found[];
}

/** Reads plugin/src and plugin/web. */
export function textsInCode(): Sources {
  const keys = new Map<string, { file: string; hasForms: boolean }>();
  const [unwritten, outside]: [Found[], Found[]] = [[], []];
  for (const file of readdirSync(ROOT, { recursive: true }) as string[]) {
    const path = file.replaceAll("\\", "/");
    if (!path.endsWith(".ts") || NOT_READ.test(path)) continue;
    const source = ts.createSourceFile(path, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.Latest, true);
    walk(source, (node) => {
      if (ts.isCallExpression(node)) readCall(node, path);
      const text = loose(node);
      if (text !== null && !OF_PROGRAMS.test(path) && !NO_TEXT.some((one) => one.test(text))) outside.push({ file: path, text });
    });
  }
  return { keys, unwritten, outside };

  function readCall(call: ts.CallExpression, file: string): void {
    const name = call.expression.getText();
    const [first, second, third] = call.arguments.map(written);
    if (name === "t" || name === "tparts") {
      if (first !== undefined && first !== null) keys.set(first, { file, hasForms: false });
      else unwritten.push({ file, text: call.getText() });
    }
    if (name === "tn" && third) keys.set(third, { file, hasForms: true });
    if (name === "count" && second) keys.set(`{n} ${third ?? `${second}s`}`, { file, hasForms: true });
  }
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** The text of a literal, or of several joined by "+"; null for anything else. */
function written(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!isSum(node)) return null;
  const [left, right] = [written(node.left), written(node.right)];
  return left === null || right === null ? null : left + right;
}

/** A literal that reads like a text and is in no call of the catalogue; null for anything else. */
function loose(node: ts.Node): string | null {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return null;
  const text = ts.isTemplateExpression(node) ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.text).join("{}") : node.text;
  const isProse = /[A-Za-z]{2,}[^\n]* [A-Za-z0-9({]/.test(text) || /^[A-Z][a-z]+/.test(text.trim()) || /[a-z]{2,}…/.test(text);
  return isProse && !isCode(node) ? text : null;
}

/** Whether a literal is a name in the code, or stands in a call that takes it. */
function isCode(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent)) return parent.name === node || ("text" in parent.name && NAMES.test(parent.name.text));
  if (ts.isElementAccessExpression(parent) || ts.isCaseClause(parent)) return true;
  if (ts.isBinaryExpression(parent) && /^(===|!==|in)$/.test(parent.operatorToken.getText())) return true;
  if (ts.isNewExpression(parent)) return /^(RegExp|URL|CustomEvent|Event|Worker)$/.test(parent.expression.getText());
  const call = callAround(node);
  if (!call) return false;
  const name = call.expression.getText().replace(/<.*/, "");
  if (/^(t|tn|tparts|count)$/.test(name)) return true;
  return call === parent && (LOOKS_UP.test(name) || (/^(h|s)$|createEl$/.test(name) && call.arguments[0] === node));
}

/** The call that a literal, or the sum that it is in, is given to. */
function callAround(node: ts.Node): ts.CallExpression | null {
  let at = node;
  while (isSum(at.parent)) at = at.parent;
  return ts.isCallExpression(at.parent) ? at.parent : null;
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}
