/** The phone index: read as the server wrote it (tests/features/phone), used for meaning, and left where it is not whole. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { contentHash } from "../../plugin/src/local/contentHash";
import { LocalIndex } from "../../plugin/src/local/localIndex";
import { similarTo } from "../../plugin/src/local/meaning";
import { opened, type PhoneFile } from "../../plugin/src/local/phoneFile";
import { PhoneIndex, type PhoneStore } from "../../plugin/src/local/phoneIndex";
import { foundBy } from "../../plugin/src/local/reply";
import { MemoryStore, MemoryVault, type Note } from "./memoryVault";

const FOLDER = join(import.meta.dirname, "..", "features", "phone");
const raw = readFileSync(join(FOLDER, "sample.bin"));
const BYTES = new Uint8Array(raw).buffer;
interface Told {
  readonly model: string;
  readonly made: number;
  readonly dimensions: number;
  readonly rule: readonly number[];
  readonly notes: readonly { path: string; text: string; hash: string; lines: readonly [number, number][] }[];
  readonly products: readonly (readonly number[])[];
}
const TOLD = JSON.parse(readFileSync(join(FOLDER, "sample.json"), "utf8")) as Told;

function finished<T>(steps: Generator<void, T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}

const file = (): PhoneFile => finished(opened(BYTES));
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

afterEach(() => void vi.useRealTimers());

describe("the file that the server writes", () => {
  it("is read as it was written", () => {
    const found = file();
    expect([found.model, found.made / 1_000, found.dimensions]).toEqual([TOLD.model, TOLD.made, TOLD.dimensions]);
    expect(Object.values(found.rule)).toEqual(TOLD.rule);
    expect(TOLD.notes.map((_, note) => found.pathOf(note))).toEqual(TOLD.notes.map(({ path }) => path));
    for (const [note, { path, hash, lines }] of TOLD.notes.entries()) {
      const [from, to] = found.passagesOf(note);
      expect(found.find(path)).toBe(note);
      expect(found.find(path.normalize("NFD"))).toBe(note);
      expect(found.hasHash(note, Uint8Array.from(hash.match(/../g) ?? [], (digits) => parseInt(digits, 16)))).toBe(true);
      expect(lines).toEqual(Array.from({ length: to - from }, (_, n) => found.linesOf(from + n)));
    }
    for (const path of ["", "A.md", "Garden/Bees.md ", "Garden/Bee", "Z.md", "Ü"]) expect(found.find(path)).toBe(-1);
  });

  it("has the vectors that were written", () => {
    const { passages } = file();
    const product = (one: number, other: number): number =>
      passages.at(one).reduce((sum, value, n) => sum + value * (passages.at(other)[n] ?? 0), 0) * passages.scale(one) * passages.scale(other);
    for (const [one, row] of TOLD.products.entries()) {
      for (const [other, expected] of row.entries()) expect(product(one, other)).toBeCloseTo(expected, 3);
    }
  });

  it("is refused wherever it ends too early, and wherever a byte is another", () => {
    for (let end = 0; end < BYTES.byteLength; end += 1) {
      expect(() => finished(opened(BYTES.slice(0, end)))).toThrow(/not whole|no phone index/);
    }
    for (let at = 0; at < BYTES.byteLength; at += 7) {
      const changed = BYTES.slice(0);
      new Uint8Array(changed)[at]! ^= 64;
      expect(() => finished(opened(changed)), `byte ${at}`).toThrow(/not whole|no phone index|damaged|version/);
    }
  });

  it.each(TOLD.notes)("knows the content of $path by its hash", ({ text, hash }) => {
    expect(hex(contentHash(new TextEncoder().encode(text)))).toBe(hash);
  });

  it("hashes as RFC 7693 does, across blocks", () => {
    expect(hex(contentHash(new Uint8Array()))).toBe("cae66941d9efbd404e4d88758ea67670");
    const bytes = Uint8Array.from({ length: 1_000 }, (_, n) => n & 255);
    // Of Python's hashlib.blake2b(bytes, digest_size=16).
    const known: Record<number, string> = { 127: "28b1296c7d4807883de6ee4ec04dcc0a", 128: "a74787004ef589e31149183900d0294a", 129: "aaf1b0371f6d4ee49ee4fb5ddd9c49ef", 1000: "978a3f8b45508a42fe7f0f99caf2c423" };
    for (const [length, hash] of Object.entries(known)) expect(hex(contentHash(bytes.slice(0, Number(length)))), length).toBe(hash);
  });
});

describe("meaning without a server", () => {
  it("ranks notes by their passages", () => {
    const found = file();
    const paths = finished(similarTo(found, found.find("Garden/Bees.md"))).map(({ note }) => found.pathOf(note));
    expect(paths.slice(0, 2).sort()).toEqual(["Garden/Roof.md", "Kitchen/Honey cake.md"]);
    expect(paths).not.toContain("Garden/Bees.md");
  });
});

/** The sample with a table of one token, `apiary`, which has the direction of the passages about bees. */
function withTable(model: string): ArrayBuffer {
  const { passages, dimensions } = file();
  const [numbers, text, key] = [passages.at(0), new TextEncoder().encode("apiary"), new TextEncoder().encode(model)];
  const half = Math.ceil(dimensions / 2);
  const bytes = 128 + 4 + 4 * dimensions + 1 + half + 1 + text.length + key.length;
  const start = 8 * Math.ceil(BYTES.byteLength / 8);
  const whole = new Uint8Array(start + bytes);
  whole.set(new Uint8Array(BYTES));
  const [all, view] = [new DataView(whole.buffer), new DataView(whole.buffer, start)];
  whole.set(new TextEncoder().encode("NOTETABL"), start);
  const counts: Record<number, number> = { 8: 1, 16: bytes, 20: 1, 24: 15, 28: 1, 32: 1, 36: dimensions, 44: text.length, 48: key.length, 52: 100, 56: 64 };
  for (const [at, count] of Object.entries(counts)) view.setUint32(Number(at), count, true);
  const floats: Record<number, number> = { 76: 0.5, 80: 1, 88: -0.6, 128: 1 }; // silent where more than half is unknown
  for (const [at, value] of Object.entries(floats)) view.setFloat32(Number(at), value, true);
  const rowAt = 128 + 4 + 4 * dimensions + 1;
  numbers.forEach((number, n) => {
    const step = Math.round(number / 18) + 8;
    view.setUint8(rowAt + (n >> 1), view.getUint8(rowAt + (n >> 1)) | (n & 1 ? step << 4 : step));
  });
  view.setUint8(rowAt + half, text.length);
  whole.set(text, start + rowAt + half + 1);
  whole.set(key, start + rowAt + half + 1 + text.length);
  for (const [at, value] of [[8, 2], [16, whole.length], [44, bytes]] as const) all.setUint32(at, value, true);
  all.setUint32(12, crc32(whole.subarray(16)), true);
  return whole.buffer;
}
const WITH_TABLE = withTable(TOLD.model);

class FakeStore implements PhoneStore {
  reads = 0;
  notes: Record<string, Note> = {};
  constructor(public bytes: ArrayBuffer | null) {}
  has(path: string) {
    return path in this.notes;
  }
  async stat() {
    return this.bytes && { mtime: 1, size: this.bytes.byteLength };
  }
  async read() {
    this.reads += 1;
    if (!this.bytes) throw new Error("It is gone.");
    return this.bytes;
  }
}

const NOTES: Record<string, Note> = Object.fromEntries(TOLD.notes.map(({ path, text }) => [path, { text }]));

async function indexOf(notes: Record<string, Note>, { store = new FakeStore(BYTES), model = "", isWanted = true, links = {} } = {}) {
  const phone = new PhoneIndex(store);
  store.notes = notes;
  phone.use(isWanted, model);
  const index = new LocalIndex({ vault: new MemoryVault(notes), store: new MemoryStore(), limit: 1e9, links: () => links, phone });
  await index.begin();
  return { index, phone, store };
}

describe("the plugin's own index with a phone index", () => {
  it("lists similar notes by meaning, at their passage, and says so", async () => {
    const { index, store } = await indexOf(NOTES);
    const reply = await index.similar({ path: "Garden/Bees.md" }, 10);
    expect(foundBy(reply)).toMatch(/^by meaning, from the phone index of .*18/);
    expect(reply.results.map(({ path }) => path)).toContain("Kitchen/Honey cake.md");
    const cake = reply.results.find(({ title }) => title === "Honey cake");
    expect(cake).toMatchObject({ line: 3, snippet: "With honey of bees." });
    expect(cake?.match).toMatch(/strong|related/);
    await index.similar({ path: "Garden/Roof.md" }, 10);
    expect(store.reads).toBe(1);
  });

  it("compares a note that changed by words, and says why", async () => {
    const notes = { ...NOTES, "Garden/Bees.md": { text: "Bees find the roof." } };
    const { index } = await indexOf(notes);
    const reply = await index.similar({ path: "Garden/Bees.md" }, 10);
    expect(foundBy(reply)).toMatch(/rare words, because this note is newer than the phone index/);
  });

  it("lists notes that changed or are new by words, after the others", async () => {
    const notes: Record<string, Note> = {
      ...NOTES,
      "Kitchen/Honey cake.md": { text: "Nothing of the kind any more." },
      "New.md": { text: "Bees find the hive at night." },
    };
    for (let n = 0; n < 30; n += 1) notes[`${n}.md`] = { text: `Filler ${n}.` };
    const { index } = await indexOf(notes);
    const { results } = await index.similar({ path: "Garden/Bees.md" }, 10);
    const paths = results.map(({ path }) => path);
    expect(paths).not.toContain("Kitchen/Honey cake.md");
    expect(paths.at(-1)).toBe("New.md");
    expect(results.at(-1)?.reasons.map(({ text }) => text)).toEqual(["Rare words in common"]);
  });

  it("leaves out linked notes where only others are wanted", async () => {
    const links = { "Garden/Bees.md": { "Garden/Roof.md": 1 } };
    const { index } = await indexOf(NOTES, { links });
    const { results } = await index.similar({ path: "Garden/Bees.md" }, 10, true);
    expect(results.map(({ path }) => path)).not.toContain("Garden/Roof.md");
  });

  it("finds notes by meaning that no word finds, and says so", async () => {
    const { index } = await indexOf(NOTES, { store: new FakeStore(WITH_TABLE) });
    const search = (query: string) => index.search(query, { limit: 10, isTyping: false, isWidened: true });
    const reply = await search("apiary");
    expect(foundBy(reply)).toMatch(/^by words and by meaning, approximately, from the phone index of .*18/);
    expect(reply.results[0]).toMatchObject({ path: "Garden/Bees.md", score: 1, match: "related" });
    expect(reply.results[0]?.scores.semantic).toBeGreaterThan(0.5);
    expect(reply.results[0]?.scores.keyword).toBeNull();
    expect(reply.results.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
    expect((await search("apiary -path:Bees")).results.map(({ path }) => path)).not.toContain("Garden/Bees.md");
    expect((await search("roof")).results[0]?.path).toBe("Garden/Roof.md");
    expect((await index.search("apiary", { limit: 10, isTyping: false })).results).toHaveLength(0);
  });

  it("says nothing by meaning of a query that the table does not know", async () => {
    const { index } = await indexOf(NOTES, { store: new FakeStore(WITH_TABLE) });
    const reply = await index.search("zeppelin", { limit: 10, isTyping: false, isWidened: true });
    expect([foundBy(reply), reply.results]).toEqual(["words only", []]);
  });

  it("shows no note by meaning that has changed since", async () => {
    const { index } = await indexOf({ ...NOTES, "Garden/Bees.md": { text: "Of wasps." } }, { store: new FakeStore(WITH_TABLE) });
    const { results } = await index.search("apiary", { limit: 10, isTyping: false, isWidened: true });
    expect(results.map(({ path }) => path)).not.toContain("Garden/Bees.md");
  });

  it("finds notes for a sentence by meaning, to complete a link", async () => {
    const { index } = await indexOf(NOTES, { store: new FakeStore(WITH_TABLE) });
    const reply = await index.similar({ text: "an apiary" }, 10);
    expect(foundBy(reply)).toMatch(/^by meaning, approximately, from the phone index/);
    expect(reply.results[0]?.path).toBe("Garden/Bees.md");
    const unknown = await index.similar({ text: "zeppelin" }, 10);
    expect(foundBy(unknown)).toBe("by shared links, tags and rare words");
  });

  it.each([
    ["a file that is not whole", new FakeStore(BYTES.slice(0, 300)), "", /not whole/],
    ["one of another model", new FakeStore(BYTES), "other/0123/int8", /another model \(tiny\/0123456789ab\/int8\)/],
    ["one with the table of another model", new FakeStore(withTable("other/0123/int8")), "", /damaged/],
    ["one of a later version", new FakeStore(Uint8Array.from(raw, (byte, at) => (at === 8 ? 3 : byte)).buffer), "", /version 3/],
    ["one whose table ends too early", new FakeStore(WITH_TABLE.slice(0, -1)), "", /not whole/],
    ["none at all", new FakeStore(null), "", /has no phone index/],
  ])("answers by words where there is %s, and tells", async (_, store, model, told) => {
    const { index, phone } = await indexOf(NOTES, { store, model });
    const reply = await index.similar({ path: "Garden/Bees.md" }, 10);
    expect(foundBy(reply)).toBe("by shared links, tags and rare words");
    expect(reply.warnings.join()).toMatch(told);
    expect(phone.text).toMatch(told);
  });

  it("answers by words beside the file of another vault, and tells, until the notes are there", async () => {
    const others: Record<string, Note> = { "Alps.md": { text: "Bees of the Alps." }, "Garden/Bees.md": { text: "Bees." } };
    const { index, phone, store } = await indexOf(others);
    const reply = await index.similar({ path: "Alps.md" }, 10);
    expect([foundBy(reply), reply.warnings.join()]).toEqual(["by shared links, tags and rare words", expect.stringMatching(/most of its notes are not in this vault/)]);
    Object.assign(others, NOTES);
    phone.release();
    expect(foundBy(await index.similar({ path: "Garden/Bees.md" }, 10))).toMatch(/by meaning/);
    expect(store.reads).toBe(2);
  });

  it("reads the file of another vault again, but ever more seldom", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { index, store } = await indexOf({ "Alps.md": { text: "Bees of the Alps." } });
    const reads: number[] = [];
    for (let seconds = 0; seconds < 24; seconds += 3) {
      await index.similar({ path: "Alps.md" }, 10);
      reads.push(store.reads);
      vi.advanceTimersByTime(3_000);
    }
    expect(reads).toEqual([1, 2, 2, 3, 3, 3, 3, 4]);
  });

  it("reads nothing unless it is wanted", async () => {
    const { index, phone, store } = await indexOf(NOTES, { isWanted: false });
    await index.similar({ path: "Garden/Bees.md" }, 10);
    expect([store.reads, phone.text]).toEqual([0, "Not loaded."]);
  });

  it("reads a file that was replaced, and gives its memory back", async () => {
    const { index, phone, store } = await indexOf(NOTES, { store: new FakeStore(BYTES.slice(0, 300)) });
    await index.similar({ path: "Garden/Bees.md" }, 10);
    store.bytes = BYTES;
    phone.release();
    expect(foundBy(await index.similar({ path: "Garden/Bees.md" }, 10))).toMatch(/by meaning/);
    expect(phone.text).toMatch(/5 notes/);
    phone.release();
    expect(phone.text).toMatch(/Read when it is needed/);
  });
});
