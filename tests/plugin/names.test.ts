/**
 * The bundle gives short names to members of ours. This asks the compiler whether every use of such a
 * name in the sources is of something that we declared, and that neither the app nor the wire knows.
 */

import { join } from "node:path";
import * as ts from "typescript";
import { describe, expect, it } from "vitest";
import shortNames from "../../plugin/short-names.json";

const ROOT = join(import.meta.dirname, "..", "..");
/** What stands in these files is sent, received or stored: names of data there are not ours to change. */
const DATA = /plugin\/src\/(contract|replies|shape|settings|client)\.ts$/;
/** Declared by us, and made by others. */
const FOREIGN = ["Child", "DragManager", "Output", "SettingsWindow"];

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, "tsconfig.json"), (file) => ts.sys.readFile(file)).config,
  ts.sys,
  ROOT,
);
const program = ts.createProgram([join(ROOT, "plugin/src/main.ts")], options);
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter(({ fileName }) => fileName.includes("/plugin/src/"));

function isOurs(declaration: ts.Declaration): boolean {
  const { fileName } = declaration.getSourceFile();
  if (!fileName.includes("/plugin/src/")) return false;
  // What a module exports keeps its name, as of a whole module that is imported.
  if (ts.isVariableDeclaration(declaration) || ts.isFunctionDeclaration(declaration)) return false;
  const owner = declaration.parent;
  if (ts.isInterfaceDeclaration(owner) && FOREIGN.includes(owner.name.text)) return false;
  const isData = ts.isPropertySignature(declaration) || ts.isPropertyAssignment(declaration);
  return !(isData && DATA.test(fileName));
}

/** Every member that a node names, by the type that it is looked up in; null: any name will do there. */
function* used(node: ts.Node): Generator<[name: string, found: ts.Symbol | null | undefined]> {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.name)) {
    yield [node.name.text, checker.getSymbolAtLocation(node.name)];
  } else if (ts.isObjectLiteralExpression(node)) {
    const isData = DATA.test(node.getSourceFile().fileName);
    for (const { name } of node.properties) {
      if (isData && name && ts.isIdentifier(name)) yield [name.text, null];
    }
    const wanted = checker.getContextualType(node);
    for (const type of wanted?.isUnion() ? wanted.types : wanted ? [wanted] : []) {
      for (const { name } of node.properties) {
        if (!name || !ts.isIdentifier(name)) continue;
        const known = type.getProperty(name.text);
        if (known) yield [name.text, known];
        else if (type.getStringIndexType()) yield [name.text, null];
      }
    }
  } else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
    const name = node.propertyName ?? node.name;
    if (!ts.isIdentifier(name)) return;
    yield [name.text, checker.getTypeAtLocation(node.parent).getProperty(name.text)];
  } else if (ts.isClassLike(node)) {
    const bases = node.heritageClauses?.flatMap((clause) => [...clause.types]) ?? [];
    for (const type of bases.map((base) => checker.getTypeAtLocation(base))) {
      for (const { name } of node.members) {
        const inherited = name && ts.isIdentifier(name) && type.getProperty(name.text);
        if (inherited) yield [inherited.name, inherited];
      }
    }
  } else if (ts.isElementAccessExpression(node)) {
    const index = checker.getTypeAtLocation(node.argumentExpression);
    for (const type of index.isUnion() ? index.types : [index]) {
      if (type.isStringLiteral()) yield [type.value, null];
    }
  } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    if (ts.isStringLiteral(node.left)) yield [node.left.text, null];
  }
}

/** The names that stand for something that is not ours, with where. */
function foreign(): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    for (const [name, symbol] of used(node)) {
      const declarations = symbol?.declarations ?? [];
      if (declarations.length > 0 && declarations.every(isOurs)) continue;
      found.set(name, `${node.getSourceFile().fileName}: ${node.getText().slice(0, 80)}`);
    }
    ts.forEachChild(node, visit);
  };
  sources.forEach(visit);
  return found;
}

describe("names that the bundle shortens", () => {
  const others = foreign();

  it("are told from names of the app, of stored settings and of the wire", () => {
    const known = ["vault", "contentEl", "isMacOS", "resultLimit", "files", "dragLink"];
    expect(known.filter((name) => !others.has(name))).toEqual([]);
  });

  it("are ours alone", () => {
    const names = [...shortNames.members, ...shortNames.viewMembers];
    const wrong = names.flatMap((name) => (others.has(name) ? [`${name} in ${others.get(name)}`] : []));
    expect(wrong).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});
