import { beforeEach, describe, expect, it } from "vitest";
import { ChangeQueue } from "../../plugin/src/changes";
import type { Change } from "../../plugin/src/contract";

let now = 0;
let queue: ChangeQueue;

beforeEach(() => {
  now = 0;
  queue = new ChangeQueue(() => now);
});

/** What a server is sent once everything has settled, as short words. */
function sentChanges(limit = 1_000): string[] {
  now += 60_000;
  return words(queue.take(limit));
}

function words(changes: readonly Change[]): string[] {
  return changes.map((change) =>
    change.old_path === undefined
      ? `${change.kind} ${change.path}`
      : `${change.kind} ${change.old_path} ${change.path}`,
  );
}

describe("folding", () => {
  it("merges many edits into one", () => {
    for (let n = 0; n < 5; n += 1) queue.modified("a");
    expect(sentChanges()).toEqual(["modify a"]);
  });

  it("drops a note that was created and deleted", () => {
    queue.created("a");
    queue.modified("a");
    queue.renamed("a", "b");
    queue.deleted("b");
    expect(queue.size).toBe(0);
  });

  it("turns a deletion and a new creation into an edit", () => {
    queue.deleted("a");
    queue.created("a");
    expect(sentChanges()).toEqual(["modify a"]);
  });

  it("merges a chain of renames, and drops one that leads back", () => {
    queue.renamed("a", "b");
    queue.renamed("b", "c");
    expect(sentChanges()).toEqual(["rename a c"]);
    queue.renamed("c", "d");
    queue.renamed("d", "c");
    expect(queue.size).toBe(0);
  });

  it("keeps an edit through a rename, and a new note new", () => {
    queue.modified("a");
    queue.renamed("a", "b");
    queue.created("n");
    queue.renamed("n", "m");
    expect(sentChanges()).toEqual(["rename a b", "modify b", "create m"]);
  });

  it("deletes under the name that the server knows", () => {
    queue.renamed("a", "b");
    queue.deleted("b");
    expect(sentChanges()).toEqual(["delete a"]);
  });

  it("tells a folder's rename once, though the app tells it for the folder and for each note", () => {
    queue.renamed("old/a", "new/a"); // from the folder
    queue.renamed("old/a", "new/a"); // from the note
    expect(sentChanges()).toEqual(["rename old/a new/a"]);
  });
});

describe("order", () => {
  it("deletes a path before another note is moved to it", () => {
    queue.renamed("b", "c");
    queue.renamed("a", "b");
    expect(sentChanges()).toEqual(["rename b c", "rename a b"]);
  });

  it("deletes before it moves, and moves before it creates", () => {
    queue.deleted("b");
    queue.renamed("a", "b");
    queue.created("a");
    expect(sentChanges()).toEqual(["delete b", "rename a b", "create a"]);
  });

  it("sends both notes again when they swapped names", () => {
    queue.renamed("a", "t");
    queue.renamed("b", "a");
    queue.renamed("t", "b");
    expect(sentChanges().sort()).toEqual(["modify a", "modify b"]);
  });

  it("overwrites: the note that stood there is deleted", () => {
    queue.modified("b");
    queue.renamed("a", "b");
    expect(sentChanges()).toEqual(["delete b", "rename a b"]);
  });
});

describe("waiting", () => {
  it("delays an edit by two seconds, and by thirty at most", () => {
    queue.modified("a");
    expect(queue.due()).toBe(2_000);
    for (now = 0; now < 29_000; now += 1_000) queue.modified("a");
    expect(queue.due()).toBe(1_000);
    now = 30_000;
    expect(queue.due()).toBe(0);
  });

  it("sends a move at once and keeps the edit on it that goes on", () => {
    queue.renamed("a", "b");
    now = 400;
    queue.modified("b");
    now = 900;
    expect(words(queue.take(10))).toEqual(["rename a b"]);
    expect(queue.due()).toBe(1_500);
    expect(sentChanges()).toEqual(["modify b"]);
  });

  it("has nothing due when it is empty", () => {
    expect(queue.due()).toBeNull();
    expect(queue.take(10)).toEqual([]);
  });
});

describe("acknowledgement", () => {
  it("brings back what was not acknowledged, before what came after it", () => {
    queue.renamed("a", "b");
    now = 1_000;
    const sent = queue.take(10);
    queue.renamed("b", "c");
    queue.restore(sent);
    expect(queue.size).toBe(2);
    expect(sentChanges()).toEqual(["rename a b"]);
    expect(sentChanges()).toEqual(["rename b c"]);
  });

  it("takes no more than asked for", () => {
    for (const path of ["a", "b", "c"]) queue.created(path);
    expect(sentChanges(2)).toEqual(["create a", "create b"]);
    expect(queue.size).toBe(1);
    expect(sentChanges(2)).toEqual(["create c"]);
  });
});

/** A server that does what it is told, and refuses what makes no sense. */
function applied(server: Set<string>, changes: readonly Change[]): Set<string> {
  for (const { kind, path, old_path } of changes) {
    if (kind === "delete") expect(server.delete(path), `delete ${path}`).toBe(true);
    if (kind === "rename") {
      expect(server.delete(old_path ?? ""), `rename from ${old_path}`).toBe(true);
      expect(server.has(path), `rename onto ${path}`).toBe(false);
    }
    if (kind === "modify") expect(server.has(path), `modify ${path}`).toBe(true);
    if (kind === "create") expect(server.has(path), `create ${path}`).toBe(false);
    if (kind !== "delete") server.add(path);
  }
  return server;
}

describe("whatever happens", () => {
  it("the server can follow every step and ends with the vault's notes", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = randomOf(seed);
      const vault = new Set(["a", "b", "c"]);
      const server = new Set(vault);
      const names = ["a", "b", "c", "d", "e"];
      for (let step = 0; step < 40; step += 1) {
        happen(vault, names[random(5)] ?? "a", names[random(5)] ?? "a", random(4));
        now += random(1_500);
        if (random(5) === 0) applied(server, queue.take(1 + random(4)));
      }
      now += 60_000;
      while (queue.size > 0) applied(server, queue.take(3));
      expect(server, `seed ${seed}`).toEqual(vault);
    }
  });

  function happen(vault: Set<string>, one: string, other: string, what: number): void {
    if (what === 0 && !vault.has(one)) {
      vault.add(one);
      queue.created(one);
    } else if (what === 1 && vault.has(one)) {
      queue.modified(one);
    } else if (what === 2 && vault.delete(one)) {
      queue.deleted(one);
    } else if (what === 3 && vault.has(one) && !vault.has(other)) {
      vault.delete(one);
      vault.add(other);
      queue.renamed(one, other);
    }
  }
});

/** Numbers that are the same in every run: a linear congruential generator. */
function randomOf(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
