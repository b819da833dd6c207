// Writes the functions of a bundle as arrow functions, which take less of what main.js may have.

import { parse } from "acorn";

const OWN_WORLD = /^(Function|Class)(Declaration|Expression)$/;

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
