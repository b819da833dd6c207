/** The names that the build writes shorter are the plugin's own: nobody else could look for them. */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { SHORT_NAMES } from "../../plugin/names.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const SOURCES = join(ROOT, "plugin", "src");
/** What is in these files is sent, stored or another program's. */
const SHARED = /^(contract|obsidianApp|settings|segment|store|api|discovery|launcher|program|machine|replies|askReplies|answer|pairing|shape|identity|reply)\.ts$/;
const TYPES = join(ROOT, "node_modules", "typescript", "lib");
const LIBRARIES = [
  ...readdirSync(TYPES).filter((file) => /^lib\.(dom|es)[\w.]*\.d\.ts$/.test(file)).map((file) => join(TYPES, file)),
  ...["obsidian/obsidian.d.ts", "@codemirror/state/dist/index.d.ts", "@codemirror/view/dist/index.d.ts"].map((file) => join(ROOT, "node_modules", file)),
  ...["child_process", "fs", "fs/promises", "os", "path", "stream", "events"].map((file) => join(ROOT, "node_modules", "@types", "node", `${file}.d.ts`)),
];

const isDeclaration = (node: ts.Node): boolean =>
  ts.isPropertySignature(node) || ts.isMethodSignature(node) || (ts.isClassElement(node) && !ts.isObjectLiteralExpression(node.parent)) || (ts.isParameter(node) && node.modifiers !== undefined);

function visit(path: string, act: (node: ts.Node) => void): void {
  const each = (node: ts.Node): void => {
    act(node);
    ts.forEachChild(node, each);
  };
  each(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true));
}

/** The property that a node declares or writes. */
function nameOf(node: ts.Node): string | null {
  if (!isDeclaration(node) && !ts.isObjectLiteralElementLike(node)) return null;
  const { name } = node as ts.NamedDeclaration;
  return name && (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) ? name.text : null;
}

/** The names that a statement exports. */
function exportsOf(node: ts.Node): string[] {
  const isExported = ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  const declarations: readonly ts.NamedDeclaration[] = ts.isVariableStatement(node) ? node.declarationList.declarations : [node as ts.NamedDeclaration];
  return declarations.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []));
}

it("are declared by the plugin, in no shared record, and in no text or its places", () => {
  const [declared, others] = [new Set<string>(), new Set<string>()];
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))) {
    visit(join(SOURCES, file), (node) => {
      const name = nameOf(node);
      if (name !== null && SHARED.test(basename(file))) others.add(name);
      else if (name !== null && isDeclaration(node)) declared.add(name);
      for (const exported of exportsOf(node)) others.add(exported); // a module may be read as an object of them
      if (!ts.isStringLiteralLike(node)) return;
      for (const text of [node.text, ...Array.from(node.text.matchAll(/\{(\w+)\}/g), ([, place = ""]) => place)]) others.add(text);
    });
  }
  const names = Object.keys(SHORT_NAMES);
  expect(names.filter((name) => !declared.has(name))).toEqual([]);
  expect(names.filter((name) => others.has(name))).toEqual([]);
});

it("are in no type of the app, the browser or Node, and neither are the short ones", () => {
  const theirs = new Set<string | null>();
  for (const path of LIBRARIES) visit(path, (node) => theirs.add(nameOf(node)));
  expect(Object.entries(SHORT_NAMES).flat().filter((name) => theirs.has(name))).toEqual([]);
  expect(new Set(Object.values(SHORT_NAMES)).size).toBe(Object.keys(SHORT_NAMES).length);
}, 60_000);
