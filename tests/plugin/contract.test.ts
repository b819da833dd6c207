/**
 * The contract's checks: on our own samples, and on the replies that the server's tests write to
 * tests/contract, so that the two languages cannot drift apart.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as replies from "../../plugin/src/replies";
import { ShapeError, type Check } from "../../plugin/src/shape";
import * as asks from "../../plugin/src/askReplies";
import * as memory from "../../plugin/web/app/memoryReplies";
import * as pages from "../../plugin/web/app/replies";
import * as setup from "../../plugin/web/app/setupReplies";
import * as tend from "../../plugin/web/app/tendReplies";
import { aReply, aResult, aStatus, HEALTH } from "./samples";

const WRITTEN = join(import.meta.dirname, "..", "contract");

/** The checks that a file of tests/contract must pass, by the beginning of its name. */
const CHECKS: readonly [prefix: string, ...checks: Check<unknown>[]][] = [
  ["archaeology", pages.archaeology],
  ["ask-conversation.", asks.conversation],
  ["ask-kept", asks.conversations],
  ["audit", setup.audit],
  ["cancel-run", tend.run],
  ["changes", replies.accepted],
  ["complete", pages.complete],
  ["config", setup.config],
  ["devices", setup.devices],
  ["gleanings-extract", tend.extracted],
  ["gleanings-stats", tend.gleaningStats],
  ["gleanings.", tend.gleanings],
  ["graph-hubs", pages.hubs],
  ["graph-neighborhood", pages.neighborhood],
  ["graph-neighbors", pages.neighbors],
  ["graph-path", pages.path],
  ["guard", replies.accepted],
  ["health", replies.greeting, replies.featureList, pages.health],
  ["ledger", replies.ledger],
  ["log.", setup.log],
  ["memory-apply", memory.changed],
  ["memory-forget", memory.forgotten],
  ["memory-health", memory.health],
  ["memory-inspect", memory.inspect],
  ["memory-list", memory.memories],
  ["memory-outcome", memory.changed],
  ["memory-recall", memory.recall],
  ["models.", setup.models],
  ["note", pages.note],
  ["pair.", setup.pair],
  ["phone-index", pages.phoneIndex],
  ["problem", replies.problem],
  ["queue", replies.accepted],
  ["reindex", replies.accepted],
  ["run.", tend.run],
  ["runs", tend.runs],
  ["search", replies.search, pages.search],
  ["session", pages.session],
  ["similar", replies.search, pages.search],
  ["stats", setup.stats],
  ["status", replies.status],
  ["sync", replies.sync],
  ["vaults", replies.vaults],
];

function writtenReplies(): [file: string, check: Check<unknown>][] {
  const files = existsSync(WRITTEN) ? readdirSync(WRITTEN).filter((f) => f.endsWith(".json")) : [];
  return files.flatMap((file) => {
    const found = CHECKS.find(([prefix]) => file.startsWith(prefix));
    return (found?.slice(1) ?? []).map((check): [string, Check<unknown>] => [file, check as Check<unknown>]);
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
    expect(() => pages.health(HEALTH)).not.toThrow();
    expect(() => pages.search(aReply([aResult("Bees.md")]))).not.toThrow();
  });

  it("tolerate fields they do not know", () => {
    const reply = mutated(aReply([aResult("a.md")]), ["results", "0"], (result: object) => {
      (result as Record<string, unknown>)["colour"] = "green";
    });
    expect(() => pages.search(reply)).not.toThrow();
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
    expect(() => pages.search(reply)).toThrow(message);
  });

  it.each([[null], [[]], ["text"], [42], [{ api: "1" }]])("refuse %j as health", (value) => {
    expect(() => pages.health(value)).toThrow(ShapeError);
  });

  it("refuse highlights that are not pairs of finite numbers", () => {
    const odd = { ...aResult("a.md"), highlights: [[1, 2, 3]] };
    expect(() => pages.search(aReply([odd as never]))).toThrow("pair of numbers");
  });

  it("check ten thousand results without delay worth noticing", () => {
    const reply = aReply(Array.from({ length: 10_000 }, (_, n) => aResult(`${n}.md`)));
    expect(pages.search(reply).results).toHaveLength(10_000);
  });
});
