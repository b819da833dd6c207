/**
 * Notes near a note or a text in meaning, by the vectors of the phone index alone: no model is run here. The
 * server's way and constants (`sidecar/notewell/search/show/similarity.py`), on vectors of bytes: each passage is
 * compared without what it has in common with its neighbours (after Hara et al. 2015, "Localized Centering:
 * Reducing Hubness in Large-Sample Data"). Only notes whose own vector is near are looked at more closely.
 */

import type { PhoneFile, Vectors } from "./phoneFile";

/** A note near another: the best passage of it (-1: the file has none), and how well it matches. */
export interface Near {
  readonly note: number;
  readonly score: number;
  readonly passage: number;
  readonly match: "strong" | "related" | "weak";
}

const DEPTH = 800; // notes that are looked at closely; on two vaults more changed nothing
const NEIGHBOURS = 50;
const MIN_SHARE = 0.6;
const SHARE_GROWS = 0.5;
const SHARE_FULL = 0.8;
const MAX_PASSAGES = 16; // of the source
const MIN_WEIGHT = 0.02;
const TINY = 1e-6;
const AT_ONCE = 250; // vectors in one step

/** What is compared closely: passages, or notes where the file has no passages. */
interface Rows {
  readonly vectors: Vectors;
  readonly places: Int32Array;
  /** For each row its note, as a place among the candidates. */
  readonly owners: Int32Array;
}

/** How near all notes are to a text in meaning: of each its best passage, and of all passages the usual cosine. */
export interface Nearness {
  readonly best: Float32Array;
  /** The mean over the note's passages. */
  readonly means: Float32Array;
  readonly passages: Int32Array;
  readonly mean: number;
  readonly deviation: number;
  readonly count: number;
}

/** The notes near `note`, best first, in steps. */
export function* similarTo(file: PhoneFile, note: number): Generator<void, Near[]> {
  const vectors = file.passages.count > 0 ? file.passages : file.notes;
  const sources = sourceRows(file, note).map((row) => numbers(vectors, row, file.dimensions));
  return yield* nearTo(file, sources, yield* nearest(file, numbers(file.notes, note, file.dimensions)), note);
}

/** The notes near a vector, best first, in steps. */
export function* nearVector(file: PhoneFile, vector: Float32Array): Generator<void, Near[]> {
  return yield* nearTo(file, [vector], yield* nearest(file, vector), -1);
}

/** How near every note is to a vector, in steps. */
export function* nearnessTo(file: PhoneFile, vector: Float32Array): Generator<void, Nearness> {
  const { notes, passages, cosines: map } = file;
  const vectors = passages.count > 0 ? passages : notes;
  const cosines = yield* products(vectors, Int32Array.from({ length: vectors.count }, (_, row) => row), vector);
  const best = new Float32Array(notes.count).fill(NaN);
  const found = { best, means: best.slice(), passages: new Int32Array(notes.count).fill(-1) };
  let [sum, squares] = [0, 0];
  for (let note = 0; note < notes.count; note += 1) {
    const [from, to] = passages.count > 0 ? file.passagesOf(note) : [note, note + 1];
    let [own, at] = [0, -1];
    for (let row = from; row < to; row += 1) {
      const cosine = map.scale * (cosines[row] ?? 0) + map.shift;
      own += cosine;
      squares += cosine * cosine;
      if (at >= 0 && cosine <= (best[note] ?? 0)) continue;
      best[note] = cosine;
      at = row;
    }
    sum += own;
    if (at < 0) continue;
    found.means[note] = own / (to - from);
    if (passages.count > 0) found.passages[note] = at;
  }
  const { count } = vectors;
  const mean = sum / Math.max(1, count);
  return { ...found, mean, deviation: Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean)), count };
}

/** The rows of a note that stand for it: its passages, evenly spaced if they are many. */
function sourceRows(file: PhoneFile, note: number): number[] {
  if (file.passages.count === 0) return [note];
  const [from, to] = file.passagesOf(note);
  const count = Math.min(to - from, MAX_PASSAGES);
  return Array.from({ length: count }, (_, n) => from + Math.floor((n * (to - from)) / count));
}

/** The notes whose vectors are nearest. */
function* nearest({ notes }: PhoneFile, source: Float32Array): Generator<void, number[]> {
  const scores = yield* products(notes, Int32Array.from({ length: notes.count }, (_, note) => note), source);
  const least = scores.slice().sort().at(-Math.min(DEPTH, notes.count)) ?? 0;
  return [...scores.keys()].filter((note) => (scores[note] ?? 0) >= least);
}

function* nearTo(file: PhoneFile, sources: readonly Float32Array[], found: readonly number[], own: number): Generator<void, Near[]> {
  const candidates = found.filter((note) => note !== own);
  const rows = rowsOf(file, candidates);
  const sums = new Float64Array(candidates.length);
  const best = Array.from(candidates, () => ({ score: -Infinity, row: 0, plain: 0 }));
  let weights = 0;
  for (const source of sources) {
    const { cosines, plain, weight } = yield* compared(file, source, rows);
    const highest = new Float64Array(candidates.length).fill(-Infinity);
    cosines.forEach((cosine, row) => {
      const owner = rows.owners[row] ?? 0;
      highest[owner] = Math.max(highest[owner] ?? 0, cosine);
      const before = best[owner];
      if (before && cosine * weight > before.score) best[owner] = { score: cosine * weight, row, plain: Math.max(before.plain, plain[row] ?? 0) };
    });
    highest.forEach((cosine, owner) => (sums[owner] = (sums[owner] ?? 0) + weight * cosine));
    weights += weight;
  }
  const near = candidates.map((note, at): Near => {
    const score = (sums[at] ?? 0) / Math.max(weights, TINY);
    const { row, plain } = best[at] ?? { row: 0, plain: 0 };
    return { note, score, passage: file.passages.count > 0 ? (rows.places[row] ?? -1) : -1, match: matchOf(file, score, plain) };
  });
  return near.sort((one, other) => other.score - one.score);
}

function rowsOf(file: PhoneFile, candidates: readonly number[]): Rows {
  if (file.passages.count === 0) {
    return { vectors: file.notes, places: Int32Array.from(candidates), owners: Int32Array.from(candidates.keys()) };
  }
  const places: number[] = [];
  const owners: number[] = [];
  for (const [owner, note] of candidates.entries()) {
    const [from, to] = file.passagesOf(note);
    for (let passage = from; passage < to; passage += 1) {
      places.push(passage);
      owners.push(owner);
    }
  }
  return { vectors: file.passages, places: Int32Array.from(places), owners: Int32Array.from(owners) };
}

/** A vector of the source with all rows: centered cosines, plain ones, and how unusual it is. */
function* compared({ dimensions, cosines: map }: PhoneFile, own: Float32Array, { vectors, places }: Rows): Generator<void, { cosines: Float32Array; plain: Float32Array; weight: number }> {
  const plain = yield* products(vectors, places, own);
  const mapped = (cosine: number): number => map.scale * cosine + map.shift;
  const around = [...plain.keys()].sort((one, other) => (plain[other] ?? 0) - (plain[one] ?? 0)).slice(0, NEIGHBOURS);
  const usual = around.reduce((sum, row) => sum + mapped(plain[row] ?? 0), 0) / NEIGHBOURS;
  const share = shareOf(usual);
  const common = new Float32Array(dimensions);
  for (const row of around) addTo(common, vectors, places[row] ?? 0, share / NEIGHBOURS);
  const projections = yield* products(vectors, places, common);
  const [ownCommon, square] = [dot(own, common), dot(common, common)];
  const kept = map.shift * (1 - (share * around.length) / NEIGHBOURS) ** 2;
  const ours = Math.max(map.scale * (dot(own, own) - 2 * ownCommon + square) + kept, TINY);
  const cosines = plain.map((product, row) => {
    const projection = projections[row] ?? 0;
    const theirs = Math.max(map.scale * (1 - 2 * projection + square) + kept, TINY);
    return (map.scale * (product - projection - ownCommon + square) + kept) / Math.sqrt(theirs * ours);
  });
  return { cosines, plain: plain.map(mapped), weight: Math.max(1 - usual, MIN_WEIGHT) };
}

/** The share of the neighbours' mean that is taken out, by their mean cosine with the passage. */
function shareOf(usual: number): number {
  const grown = (usual - SHARE_GROWS) / (SHARE_FULL - SHARE_GROWS);
  return MIN_SHARE + (1 - MIN_SHARE) * Math.min(1, Math.max(0, grown));
}

function matchOf({ rule }: PhoneFile, centered: number, plain: number): Near["match"] {
  const sum = rule.centered * centered + rule.plain * plain;
  if (sum + rule.related < 0) return "weak";
  return sum + rule.strong >= 0 ? "strong" : "related";
}

function* products(vectors: Vectors, places: Int32Array, own: Float32Array): Generator<void, Float32Array> {
  const found = new Float32Array(places.length);
  for (let row = 0; row < places.length; row += 1) {
    const place = places[row] ?? 0;
    found[row] = dot(own, vectors.at(place)) * vectors.scale(place);
    if (row % AT_ONCE === 0) yield;
  }
  return found;
}

function numbers(vectors: Vectors, place: number, dimensions: number): Float32Array {
  const found = new Float32Array(dimensions);
  addTo(found, vectors, place, 1);
  return found;
}

function addTo(sum: Float32Array, vectors: Vectors, place: number, times: number): void {
  const vector = vectors.at(place);
  const scale = vectors.scale(place) * times;
  for (let n = 0; n < sum.length; n += 1) sum[n] = (sum[n] ?? 0) + (vector[n] ?? 0) * scale;
}

/** In four sums, which do not wait for each other: a quarter less time. */
function dot(one: Float32Array, other: Float32Array | Int8Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let n = 0; n < one.length; n += 4) {
    a += (one[n] ?? 0) * (other[n] ?? 0);
    b += (one[n + 1] ?? 0) * (other[n + 1] ?? 0);
    c += (one[n + 2] ?? 0) * (other[n + 2] ?? 0);
    d += (one[n + 3] ?? 0) * (other[n + 3] ?? 0);
  }
  return a + b + c + d;
}
