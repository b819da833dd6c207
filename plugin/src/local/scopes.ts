/**
 * Tests the text of a note as it is written: patterns, and conditions within a line, a block, a section or a task, by
 * the same rules as the sidecar's `search/query/scopes.py`.
 */

import type { TextTest } from "./passages";
import { compiled } from "./pattern";
import type { Condition } from "./query";
import { fold, isSpaceless, words } from "./words";

const FENCE = /^[ \t>]*(`{3,}|~{3,})/;
const HEADING = /^#{1,6}[ \t]/;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const TASK = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\n])\][ \t\n]/;
const EMPTY = /^[\s>]*$/;

/** Words that a note must have to meet a condition. */
export function neededWords(node: Condition): string[] {
  if (node.kind === "text") return words(node.text.toLowerCase());
  if (node.kind === "within") return neededWords(node.part);
  return node.kind === "all" ? node.parts.flatMap(neededWords) : [];
}

/** A test whether a text meets a condition. */
export function writtenTest(node: Condition, isCased = false): TextTest {
  switch (node.kind) {
    case "text":
      return isCased ? (text): boolean => holdsAsWritten(node.text, text) : wordsTest(node.text, node.isExact);
    case "matches":
      return compiled(node.pattern, isCased) ?? ((): boolean => false);
    case "not": {
      const test = writtenTest(node.part, isCased);
      return (text) => !test(text);
    }
    case "all":
    case "either": {
      const tests = node.parts.map((part) => writtenTest(part, isCased));
      return (text) => (node.kind === "all" ? tests.every((test) => test(text)) : tests.some((test) => test(text)));
    }
    case "within": {
      const { scope, part } = node;
      if (scope.endsWith("-case")) return writtenTest(part, scope === "match-case");
      const test = writtenTest(part, isCased);
      return (text) => pieces(text, scope).some(test);
    }
    default:
      return () => true; // the parser lets no other condition stand in a scope
  }
}

/** One word as it is indexed; several one after another, or as they are quoted. */
function wordsTest(text: string, isExact: boolean): TextTest {
  const wanted = words(text.toLowerCase());
  const [first = ""] = wanted;
  if (wanted.length === 1) return (other) => words(other).includes(first);
  if (isExact) return phraseTest(text);
  const sequence = ` ${wanted.join(" ")} `;
  return (other) => ` ${words(other.toLowerCase()).join(" ")} `.includes(sequence);
}

/** A test whether a text contains `phrase` as whole words, except in scripts without spaces. */
export function phraseTest(phrase: string): TextTest {
  const wanted = fold(phrase);
  const isWord = (char: string): boolean => /[\p{L}\p{N}_]/u.test(char) && !isSpaceless(char);
  const [bindsLeft, bindsRight] = [isWord(wanted.slice(0, 1)), isWord(wanted.slice(-1))];
  return (text) => {
    const folded = fold(text);
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
      const isFree = !(bindsLeft && at > 0 && isWord(folded.charAt(at - 1))) && !(bindsRight && isWord(folded.charAt(at + wanted.length)));
      if (isFree) return true;
    }
    return false;
  };
}

/** Whether a text has words in their own case, not within longer words. */
function holdsAsWritten(wanted: string, text: string): boolean {
  const joins = (one: string, other: string): boolean => /^[\p{L}\p{N}]{2}$/u.test(one + other);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (!joins(text.charAt(at - 1), wanted.charAt(0)) && !joins(wanted.slice(-1), text.charAt(end))) return true;
  }
  return false;
}

/** The pieces of a text that a scope speaks of, in order. */
export function pieces(text: string, scope: string): string[] {
  if (scope === "content") return [text];
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  if (scope === "line") return lines;
  if (scope === "section") return joined(lines, (line) => HEADING.test(line));
  const blocks = joined(lines, beginsBlock).filter((block) => block.trim());
  if (scope === "block") return blocks;
  return blocks.filter((block) => {
    const box = TASK.exec(`${block}\n`)?.[1];
    return !!box && (scope === "task" || (box === " ") === (scope === "task-todo"));
  });
}

function beginsBlock(line: string, before: string): boolean {
  return EMPTY.test(line) || EMPTY.test(before) || HEADING.test(line) || ITEM.test(line) || HEADING.test(before);
}

/** Lines together, up to the next that begins a piece; none begins in a block of code. */
function joined(lines: readonly string[], begins: (line: string, before: string) => boolean): string[] {
  const found: string[][] = [];
  let fence = "";
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1];
    const piece = found.at(-1);
    if (!piece || (!fence && begins(line, piece.at(-1) ?? ""))) found.push([line]);
    else piece.push(line);
    if (mark && !fence) fence = mark;
    else if (mark?.startsWith(fence)) fence = "";
  }
  return found.map((piece) => piece.join("\n"));
}
