/**
 * The server's sum of evidence (`sidecar/notewell/search/rank/evidence.py`, `relevance.py`; docs/search.md), for what
 * is known without a server. One file of cases holds both to the same numbers (tests/search/rank/phone_cases.json).
 */

import type { Near } from "./meaning";

/** What is known of a note. Cosines are on the scale of the reference model, NaN where there is no vector. */
export interface NoteEvidence {
  readonly bm25: number;
  /** The share of the query's known words, by idf, that the note has. */
  readonly coverage: number;
  /** Words. */
  readonly length: number;
  /** How well its best name matches, 0..1; `begun`: the share that is typed of a name that begins so. */
  readonly names: number;
  readonly isExact: boolean;
  readonly begun: number;
  readonly cosine: number;
  readonly meanCosine: number;
}

export interface QueryEvidence {
  readonly knownIdf: number;
  readonly words: number;
  /** The share of its words that have digits. */
  readonly digits: number;
  /** The share of the query, by idf, in words that the vault has. */
  readonly known: number;
  /** The share of the known words that are no function words. */
  readonly content: number;
  readonly cosineMean: number;
  readonly cosineDeviation: number;
  readonly passages: number;
  /** The vault is written in English. */
  readonly english: boolean;
}

export interface Weighed {
  /** The score, not relative to others. */
  readonly total: number;
  readonly match: Near["match"];
}

const [MEANING, MEAN, COVERAGE, NAMES, EXACT_NAME, NAMED, RISE] = [1.1, 0.4, 0.8, 2, 1, 0.5, 2.3] as const;
const [NEAREST, ABSENT_NOTES, ABSENT_COSINE, FIRST, FULL_WORDS] = [10, 30, 0.3, 3, 4] as const;
const MIN_DEVIATION = 0.03;
const FITTED_PASSAGES = 5_000;
const UNRELATED = 0.032; // the cosine of unrelated texts
const FEW_PASSAGES = 50;
const SEVERAL_WORDS = 23 * 0.05; // what is usual: a query table cannot measure it
const ELSEWHERE = 1.6; // in languages other than English fewer words of a query are found as they stand

/** The scores of notes and how well they match, aligned with them. */
export function weigh(notes: readonly NoteEvidence[], query: QueryEvidence): Weighed[] {
  const factor = meaningWeight(notes, query);
  const share = Math.min(1, FULL_WORDS / Math.max(query.words, 1));
  const parts = notes.map((note) => {
    const words = query.knownIdf > 0 ? note.bm25 / query.knownIdf : 0;
    const coverage = share * COVERAGE * shortCoverage(note);
    const best = Math.max(note.names, note.begun > 0 ? 0.5 + 0.5 * note.begun : 0);
    const names = NAMES * best + (note.isExact || note.begun > 0 ? EXACT_NAME : 0);
    return { words, others: words + coverage + names, cosine: Math.max(0, (1 - MEAN) * note.cosine + MEAN * note.meanCosine) };
  });
  const best = [...parts].sort((one, other) => other.others - one.others).slice(0, ABSENT_NOTES);
  const known = best.flatMap(({ cosine }) => (Number.isNaN(cosine) ? [] : [cosine]));
  const usual = known.length > 0 ? meanOf(known) : ABSENT_COSINE; // of notes as good as one without a vector
  const sums = parts.map(({ words, others, cosine }) => ({ words, total: others + factor * (Number.isNaN(cosine) ? usual : cosine) }));
  const matches = judge(notes, query, sums);
  return sums.map(({ total }, at) => ({ total, match: matches[at] ?? "weak" }));
}

/** The weight of a cosine: meaning rises where words do not settle the query, or the vault has much on its topic. */
export function meaningWeight(notes: readonly NoteEvidence[], query: QueryEvidence): number {
  const bestName = Math.max(0, ...notes.map(({ names }) => names));
  const near = notes.filter(({ cosine }) => !Number.isNaN(cosine)).sort((one, other) => other.cosine - one.cosine).slice(0, NEAREST);
  const said = near.length > 0 ? meanOf(near.map(({ coverage }) => coverage)) / Math.min(1, FULL_WORDS / Math.max(query.words, 1)) : 1;
  const topical = between(standingOut(near.at(-1)?.cosine ?? 0, query), 1, 2) * RISE * between(said, 0.3, 0.4);
  const open = RISE * (1 - between(query.words, 9, 14)) * (1 - settled(notes, query));
  const rise = Math.max(open, topical) * (1 - bestName) * (1 - query.digits);
  return MEANING * (1 - query.digits) * (1 - NAMED * bestName) * Math.exp(Math.min(rise, RISE));
}

/** The share of the answer that words alone tell. */
function settled(notes: readonly NoteEvidence[], { known, content }: QueryEvidence): number {
  const first = [...notes].sort((one, other) => other.bm25 - one.bm25).slice(0, FIRST);
  const byFirst = 0.8 * between(first.length > 0 ? meanOf(first.map(({ coverage }) => coverage)) * known : 0, 0.5, 1);
  const byShort = 0.85 * between(Math.max(0, ...notes.map(shortCoverage)) * known ** 2, 0.8, 1);
  return Math.max(byFirst, byShort) * between(content, 0.8, 1);
}

/** How far the tenth nearest is from the usual passage, in deviations, less what chance gives. */
function standingOut(nearest: number, { cosineMean, cosineDeviation, passages }: QueryEvidence): number {
  if (passages <= NEAREST) return 0;
  // The quantile of the normal distribution by Abramowitz and Stegun 1964, 26.2.23.
  const t = Math.sqrt(-2 * Math.log(NEAREST / Math.max(passages, 3 * NEAREST)));
  const chance = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3);
  return (nearest - cosineMean) / Math.max(cosineDeviation, MIN_DEVIATION) - chance;
}

/** How relevant each note is, by logistic functions that were fitted on the server's development sets. */
function judge(notes: readonly NoteEvidence[], query: QueryEvidence, sums: readonly { words: number; total: number }[]): Near["match"][] {
  const { known, content, cosineMean, passages } = query;
  const length = Math.min(3, Math.log(Math.max(query.words, 1)));
  const cosines = notes.map(({ cosine }) => cosine || 0); // none where there is no vector
  const counted = Math.max(FEW_PASSAGES, passages);
  const byChance = 0.04 * (Math.sqrt(2 * Math.log(FITTED_PASSAGES)) - Math.sqrt(2 * Math.log(Math.min(counted, FITTED_PASSAGES))));
  const usual = (passages * cosineMean + FEW_PASSAGES * UNRELATED) / (passages + FEW_PASSAGES) - byChance;
  const judged = notes.map((note, at) => {
    const { coverage, names, cosine } = note;
    const words = Math.min((sums[at]?.words ?? 0) * known, 3);
    const covered = coverage * known;
    const excess = Math.max(0, (cosines[at] ?? 0) - usual);
    const byWords = -7.58 + 1.591 * words + (3.716 + 2.627 * length) * covered + 4.931 * names + 5.797 * known - 0.394 * length;
    const byBoth = -7.505 + 1.569 * words + (3.49 + 2.848 * length) * covered + 3.799 * names + 7.528 * excess + 4.292 * known - 0.724 * length;
    const byMeaning = -5.995 + 24.539 * excess - 4 * known - 0.566 * length;
    const strong = -3.075 + 0.346 * words + 1.419 * covered + 3.555 * names + 0.587 * Math.max(0, cosines[at] ?? 0);
    return { related: Number.isNaN(cosine) ? byWords : Math.max(byBoth, byMeaning), strong, note };
  });
  const most = Math.min(12, Math.max(-12, ...judged.map(({ related }) => related)));
  const perhaps = 2.3 / Math.max(1, query.words) ** 2 + (query.words > 1 ? SEVERAL_WORDS : 0) + (query.english ? 0 : ELSEWHERE);
  const odds = -2.55 + 0.56 * most - 0.19 * Math.log(Math.min(counted, 20_000) / FITTED_PASSAGES) - 1.6 * Math.min(0, Math.log(counted / 300)) + perhaps;
  const answered = odds > 0;
  const best = Math.max(...sums.map(({ total }) => total));
  const isCertain = ({ isExact, coverage }: NoteEvidence): boolean => isExact || (known >= 0.5 && coverage > 0 && coverage >= content * 0.98);
  return judged.map(({ related, strong, note }, at) => {
    const isLikely = answered && (related >= 0 || (sums[at]?.total ?? 0) >= 0.5 * best);
    if (!isLikely && !isCertain(note)) return "weak";
    return strong >= Math.log(0.4 / 0.6) ? "strong" : "related";
  });
}

/** The squared coverage, less for a long note, which has many words by chance. */
function shortCoverage({ coverage, length }: NoteEvidence): number {
  return coverage ** 2 / (1 + 0.6 * Math.max(0, Math.log1p(length) - 5));
}

function between(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
