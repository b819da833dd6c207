// Writes the functions of a bundle as arrow functions, which take less of what main.js may have.

import { parse } from "acorn";

const OWN_WORLD = /^(Function|Class)(Declaration|Expression)$/;
const SHORT = "$"; // no name of the bundle

/**
 * The script `code` with the functions at its top as arrow functions. They stand at its beginning, so that they are there
 * before anything else runs, as declarations are. Those that an arrow function cannot replace stay as they are: generators,
 * and what has a `this` or `arguments` of its own. A function must not be called with `new`; for that there are classes.
 */
export function withArrows(code) {
  const { body } = parse(code, { ecmaVersion: "latest" });
  const replaced = body.filter((node) => node.type === "FunctionDeclaration" && !node.generator && !hasThis([node.params, node.body]));
  if (replaced.length === 0) return code;
  const rest = replaced.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), code);
  const directive = /^"use strict";/.exec(rest)?.[0] ?? "";
  return `${directive}var ${replaced.map((node) => arrowOf(code, node)).join(",")};${rest.slice(directive.length)}`;
}

/** Whether code has a `this` or `arguments` that belongs to the function around it. */
function hasThis(node) {
  if (node === null || typeof node !== "object") return false;
  if (node.type === "ThisExpression" || node.type === "MetaProperty" || node.name === "arguments") return true;
  return !OWN_WORLD.test(node.type) && Object.values(node).some(hasThis);
}

function arrowOf(code, { id, params, body, async: isAsync }) {
  const [only] = params;
  const given = params.map((one) => textOf(code, one)).join(",");
  const isPlain = params.length === 1 && only.type === "Identifier";
  return `${id.name}=${isAsync ? "async " : ""}${isPlain ? given : `(${given})`}=>${resultOf(code, body)}`;
}

/** What stands after the arrow: the value alone, where a function does nothing but return it. */
function resultOf(code, body) {
  const [first] = body.body;
  const value = body.body.length === 1 && first.type === "ReturnStatement" ? first.argument : null;
  if (!value) return textOf(code, body);
  const text = textOf(code, value);
  return value.type === "SequenceExpression" || text.startsWith("{") ? `(${text})` : text;
}

function textOf(code, { start, end }) {
  return code.slice(start, end);
}

/**
 * The script `code` with a short name for `this` in methods that say it often enough. Constructors of derived classes are left
 * as they are: there is no `this` in them before `super`.
 */
export function withShortThis(code) {
  const tree = parse(code, { ecmaVersion: "latest" });
  if (within(tree, (node) => node.type === "Identifier" && node.name === SHORT).length > 0) return code;
  const edits = within(tree, isFunction).flatMap(({ body: { start, body } }) => {
    const uses = within(body, (node) => node.type === "ThisExpression", OWN_WORLD);
    const [first] = body;
    const joins = first?.type === "VariableDeclaration" && first.kind === "let";
    const text = joins ? `let ${SHORT}=this,` : `let ${SHORT}=this;`;
    const [from, to] = joins ? [first.start, first.declarations[0].start] : [start + 1, start + 1];
    if (uses.length * ("this".length - SHORT.length) <= text.length - (to - from)) return [];
    return [{ from, to, text }, ...uses.map((use) => ({ from: use.start, to: use.end, text: SHORT }))];
  });
  edits.sort((one, other) => other.from - one.from || other.to - one.to); // what is put before a `this` after its replacement
  return edits.reduce((text, { from, to, text: put }) => text.slice(0, from) + put + text.slice(to), code);
}

/**
 * The script `code` without the mark of private names in classes that extend no other: the bundler has made them one letter
 * or two, and no other property of such a class is so short.
 */
export function withoutMarks(code) {
  const classes = within(parse(code, { ecmaVersion: "latest" }), ({ type, superClass }) => /^Class/.test(type) && !superClass);
  const marked = classes.flatMap((node) => within(node.body.body, ({ type }) => type === "PrivateIdentifier", /^Class/));
  const places = marked.map(({ start }) => start).sort((one, other) => other - one);
  return places.reduce((text, at) => text.slice(0, at) + (/\w/.test(text[at - 1]) ? " " : "") + text.slice(at + 1), code);
}

/** The script `code` with the declarations at its top that follow one another as one. */
export function joined(code) {
  const { body } = parse(code, { ecmaVersion: "latest" });
  const later = body.filter((node, at) => isVar(node) && at > 0 && isVar(body[at - 1])).reverse();
  return later.reduce((text, { start, declarations: [first] }) => `${text.slice(0, start).replace(/[;\s]*$/, "")},${text.slice(first.start)}`, code);
}

function isVar({ type, kind }) {
  return type === "VariableDeclaration" && kind === "var";
}

/** The nodes below `node` that `isWanted`; not below those of a type that `ends` names, nor in derived constructors. */
function within(node, isWanted, ends = /^$/) {
  if (node === null || typeof node !== "object") return [];
  if (ends.test(node.type)) return [];
  const below = Object.values(isDerived(node) ? { ...node, body: { ...node.body, body: node.body.body.map(withoutConstructor) } } : node);
  return [...(node.type && isWanted(node) ? [node] : []), ...below.flatMap((each) => within(each, isWanted, ends))];
}

function isFunction({ type }) {
  return /^Function(Declaration|Expression)$/.test(type);
}

function isDerived({ type, superClass }) {
  return /^Class/.test(type) && superClass;
}

function withoutConstructor(member) {
  return member.kind === "constructor" ? null : member;
}
