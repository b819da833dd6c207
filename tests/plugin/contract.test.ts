/**
 * The contract's checks: on our own samples, and on the replies that the server's tests write to
 * tests/contract, so that the two languages cannot drift apart.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as contract from "../../plugin/src/contract";
import * as replies from "../../plugin/src/replies";
import { ShapeError, type Check } from "../../plugin/src/shape";
import { aReply, aResult, aStatus, HEALTH } from "./samples";

const WRITTEN = join(import.meta.dirname, "..", "contract");

/** What a file of tests/contract must pass, by the beginning of its name: all of it, and what is read. */
const CHECKS: readonly [prefix: string, whole: Check<unknown>, read: Check<unknown>][] = [
  ["changes", contract.acceptedShape, replies.accepted],
  ["guard", contract.acceptedShape, replies.accepted],
  ["handshake", contract.handshakeShape, replies.handshake],
  ["health", contract.healthShape, replies.featureList],
  ["ledger", contract.ledgerShape, replies.ledger],
  ["note", contract.noteShape, replies.note],
  ["problem", contract.problemShape, replies.problem],
  ["queue", contract.acceptedShape, replies.accepted],
  ["reindex", contract.acceptedShape, replies.accepted],
  ["search", contract.searchShape, replies.search],
  ["similar", contract.searchShape, replies.search],
  ["status", contract.statusShape, replies.status],
  ["sync", contract.syncShape, replies.sync],
  ["vaults", contract.vaultsShape, replies.vaults],
];

function writtenReplies(): [file: string, check: Check<unknown>][] {
  const files = existsSync(WRITTEN) ? readdirSync(WRITTEN).filter((f) => f.endsWith(".json")) : [];
  return files.flatMap((file): [string, Check<unknown>][] => {
    const found = CHECKS.find(([prefix]) => file.startsWith(prefix));
    return found ? [[file, found[1]], [file, found[2]]] : [];
  });
}

function mutated(value: object, path: readonly string[], change: (holder: never) => void): unknown {
  const copy = structuredClone(value);
  let holder: unknown = copy;
  for (const step of path) holder = (holder as Record<string, unknown>)[step];
  change(holder as never);
  return copy;
}

const written = writtenReplies();
describe.skipIf(written.length === 0)("replies that the server's tests wrote", () => {
  it.each(written)("%s has the shape we expect", (file, check) => {
    const reply = JSON.parse(readFileSync(join(WRITTEN, file), "utf8")) as unknown;
    expect(() => check(reply)).not.toThrow();
  });
});

describe("checks", () => {
  it("take our samples", () => {
    expect(() => replies.status(aStatus())).not.toThrow();
    expect(() => replies.search(aReply([aResult("Bees.md")]))).not.toThrow();
    expect(() => contract.healthShape(HEALTH)).not.toThrow();
    expect(() => contract.statusShape(aStatus())).not.toThrow();
    expect(() => contract.searchShape(aReply([aResult("Bees.md")]))).not.toThrow();
  });

  it("tolerate fields they do not know", () => {
    const reply = mutated(aReply([aResult("a.md")]), ["results", "0"], (result: object) => {
      (result as Record<string, unknown>)["colour"] = "green";
    });
    expect(() => contract.searchShape(reply)).not.toThrow();
  });

  it.each([
    [["results", "0"], "line", "results[0].line should be a number"],
    [["results", "0"], "scores", "results[0].scores should be an object"],
    [[], "results", "results should be a list"],
    [["fusion"], "method", "fusion.method should be text"],
  ])("name a missing field: %s %s", (path, name, message) => {
    const reply = mutated(aReply([aResult("a.md")]), path, (holder: Record<string, unknown>) => {
      delete holder[name];
    });
    expect(() => contract.searchShape(reply)).toThrow(message);
  });

  it.each([[null], [[]], ["text"], [42], [{ api: "1" }]])("refuse %j as health", (value) => {
    expect(() => contract.healthShape(value)).toThrow(ShapeError);
  });

  it("refuse highlights that are not pairs of finite numbers", () => {
    const odd = { ...aResult("a.md"), highlights: [[1, 2, 3]] };
    expect(() => contract.searchShape(aReply([odd as never]))).toThrow("pair of numbers");
  });

  it("check ten thousand results without delay worth noticing", () => {
    const reply = aReply(Array.from({ length: 10_000 }, (_, n) => aResult(`${n}.md`)));
    expect(contract.searchShape(reply).results).toHaveLength(10_000);
  });
});
