/** Tells the kinds of the parts of code by highlight.js (BSD-3-Clause), in a thread that the page ends when it takes too long. */

import dockerfile from "highlight.js/lib/languages/dockerfile";
import haskell from "highlight.js/lib/languages/haskell";
import julia from "highlight.js/lib/languages/julia";
import latex from "highlight.js/lib/languages/latex";
import nix from "highlight.js/lib/languages/nix";
import powershell from "highlight.js/lib/languages/powershell";
import { common, createLowlight } from "lowlight";
import type { CodeJob, CodeKind } from "../lib/codeMessages";

declare const self: DedicatedWorkerGlobalScope;

interface Piece {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Piece[];
}
interface Run {
  readonly length: number;
  readonly kind: CodeKind | null;
}

/** The names of highlight.js that have a colour; others look like the text around them. */
const KINDS: Readonly<Record<string, CodeKind>> = {
  keyword: "keyword", literal: "keyword", built_in: "keyword", meta: "keyword", "selector-tag": "keyword", section: "keyword",
  string: "string", regexp: "string", char: "string", link: "string", symbol: "string",
  number: "number", bullet: "number",
  comment: "comment", quote: "comment", doctag: "comment",
  title: "name", name: "name", attr: "name", attribute: "name", property: "name", "selector-class": "name", "selector-id": "name",
  type: "type", tag: "type", "template-variable": "type", variable: "type",
  addition: "added", deletion: "removed",
};

const reader = createLowlight({ ...common, dockerfile, haskell, julia, latex, nix, powershell });

self.addEventListener("message", ({ data: { text, language } }: MessageEvent<CodeJob>) => {
  const reply = reader.registered(language) ? runsOf(reader.highlight(language, text)) : [];
  self.postMessage({ reply });
});

function runsOf(root: Piece): Run[] {
  const runs: Run[] = [];
  const read = (piece: Piece, around: CodeKind | null): void => {
    if (piece.value !== undefined) runs.push({ length: piece.value.length, kind: around });
    const kind = kindOf(piece) ?? around;
    for (const child of piece.children ?? []) read(child, kind);
  };
  read(root, null);
  return runs;
}

/** `hljs-title function_` is a name. */
function kindOf({ properties }: Piece): CodeKind | null {
  const names = Array.isArray(properties?.className) ? properties.className : [];
  const name = String(names[0] ?? "").replace(/^hljs-/, "");
  return KINDS[name] ?? null;
}
