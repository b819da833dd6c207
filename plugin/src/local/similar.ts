/** Notes similar to a note without any model: by shared links, shared tags, and shared rare words. */

import type { Reason } from "../contract";
import type { Facts } from "./facts";
import type { WordIndex } from "./wordIndex";
import { words } from "./words";
import { t } from "../texts";

/** Which notes link where: path to path. */
export type Links = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface SimilarNote {
  readonly path: string;
  /** 0..1. */
  readonly score: number;
  readonly reasons: readonly Reason[];
}

interface Evidence {
  links: number;
  tags: number;
  words: number;
  readonly shared: { readonly links: Set<string>; readonly tags: Set<string> };
}

const RARE_WORDS = 25;
const COMMON = 0.1; // of all notes; words in more of them say little
const LINK_WEIGHT = 0.4;
const TAG_WEIGHT = 0.2;
const WORD_WEIGHT = 0.4;
const DIRECT_LINK = 2; // linked notes of their own share a link by nature
const MAX_NAMED = 3;
const LEAST = 0.08; // below it two notes have next to nothing in common

export interface SimilarSource {
  readonly index: WordIndex;
  readonly links: Links;
  readonly facts: (path: string) => Facts | null;
  readonly paths: () => Iterable<string>;
}

/** Notes similar to `own`, or to a text alone where `own` is null, best first. */
export function similarNotes(own: Facts | null, text: string, source: SimilarSource): SimilarNote[] {
  const found = new Map<string, Evidence>();
  const evidenceOf = (path: string): Evidence => {
    const known = found.get(path) ?? { links: 0, tags: 0, words: 0, shared: { links: new Set(), tags: new Set() } };
    found.set(path, known);
    return known;
  };
  addWords(text, source.index, evidenceOf);
  if (own) {
    addLinks(own.path, source.links, evidenceOf);
    addTags(own, source, evidenceOf);
    found.delete(own.path);
  }
  const most = (kind: "links" | "tags" | "words"): number => Math.max(1e-9, ...[...found.values()].map((each) => each[kind]));
  const [links, tags, shared] = [most("links"), most("tags"), most("words")];
  return [...found]
    .map(([path, each]) => ({
      path,
      score: (LINK_WEIGHT * each.links) / links + (TAG_WEIGHT * each.tags) / tags + (WORD_WEIGHT * each.words) / shared,
      reasons: reasonsOf(each),
    }))
    .filter(({ score }) => score >= LEAST)
    .sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
}

/** The rarest words of the text that other notes have too. */
function addWords(text: string, index: WordIndex, evidenceOf: (path: string) => Evidence): void {
  const counts = new Map<string, number>();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weighed = [...counts].flatMap(([word, count]) => {
    const notes = index.frequency(word);
    if (notes < 2 || notes > Math.max(2, index.size * COMMON)) return [];
    return [[word, Math.log(1 + count) * Math.log(index.size / notes)] as const];
  });
  weighed.sort((one, other) => other[1] - one[1]);
  const rare = weighed.slice(0, RARE_WORDS).map(([word]) => ({ word, forms: new Map([[word, 1]]) }));
  for (const { path, score } of index.search(rare)) evidenceOf(path).words = score;
}

function addLinks(path: string, links: Links, evidenceOf: (path: string) => Evidence): void {
  const own = new Set(Object.keys(links[path] ?? {}));
  for (const [other, targets] of Object.entries(links)) {
    if (path in targets) {
      own.add(other); // notes that link here are neighbours as well
      evidenceOf(other).links += DIRECT_LINK;
    }
  }
  own.delete(path);
  for (const target of own) if (target.endsWith(".md")) evidenceOf(target).links += DIRECT_LINK;
  for (const [target, others] of linkedFrom(own, links)) {
    for (const other of others) {
      if (other === path) continue;
      const evidence = evidenceOf(other);
      evidence.links += 1 / Math.log2(1 + others.length); // Adamic and Adar 2003, "Friends and neighbors on the Web"
      evidence.shared.links.add(target.replace(/^.*\/|\.md$/g, ""));
    }
  }
}

/** The notes that link to each of `targets`. */
function linkedFrom(targets: ReadonlySet<string>, links: Links): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [from, ways] of Object.entries(links)) {
    for (const target in ways) {
      if (targets.has(target)) listOf(found, target).push(from);
    }
  }
  return found;
}

function addTags({ path, tags }: Facts, { facts, paths }: SimilarSource, evidenceOf: (path: string) => Evidence): void {
  if (tags.length === 0) return;
  const wanted = new Set(tags.map((tag) => tag.toLowerCase()));
  const having = new Map<string, string[]>();
  for (const other of paths()) {
    if (other === path) continue;
    for (const tag of new Set(facts(other)?.tags.map((each) => each.toLowerCase()))) {
      if (wanted.has(tag)) listOf(having, tag).push(other);
    }
  }
  for (const [tag, others] of having) {
    for (const other of others) {
      const evidence = evidenceOf(other);
      evidence.tags += 1 / Math.log2(2 + others.length);
      evidence.shared.tags.add(`#${tag}`);
    }
  }
}

function listOf(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function reasonsOf({ shared, words: byWords }: Evidence): Reason[] {
  const named = (names: Set<string>): string => [...names].slice(0, MAX_NAMED).join(", ");
  return [
    ...(shared.links.size > 0 ? [{ kind: "links", text: t("Both link to {links}", { links: named(shared.links) }) } as const] : []),
    ...(shared.tags.size > 0 ? [{ kind: "tags", text: t("Both have {tags}", { tags: named(shared.tags) }) } as const] : []),
    ...(byWords > 0 && shared.links.size + shared.tags.size === 0 ? [{ kind: "passage", text: t("Rare words in common") } as const] : []),
  ];
}
