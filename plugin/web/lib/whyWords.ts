/** Why a search found a note, in words. */

import type { Result, SearchReply } from "../../src/contract";
import { ADDENDS, queryWords } from "./remix";
import { locale, t, tn } from "../../src/texts";

const SHORT = 40; // a longer mark is a sentence that is close in meaning
const CLOSE = 0.75; // of the nearest note's meaning
const RELATED = 0.4;
const LEAST = 1.005; // a multiplier below it does nothing to speak of
const SHARE = 0.02; // of the score, from which an addend is told

/** Sentences, the most telling first. `content` is the text of the note; empty where it could not be read. */
export function reasonsOf(reply: SearchReply, result: Result, content: string): string[] {
  const place = reply.results.indexOf(result) + 1;
  const said = [wordsText(reply, result, content), meaningText(reply.results, result), ...effects(result)].filter(Boolean);
  const total = reply.total - (reply.filtered["weak"] ?? 0);
  return [...said, t("Number {place} of {total}", { place, total: Math.max(place, total) })];
}

/** "Both words, in the title and three times in the text". */
function wordsText(reply: SearchReply, result: Result, content: string): string {
  const asked = [...queryWords(plainQuery(reply.query))];
  if (asked.length === 0) return "";
  const forms = formsOf(asked, result);
  const title = wordsIn(result.title);
  const text = wordsIn(content);
  const found = asked.filter((word) => [...title, ...text].some((one) => forms(one) === word));
  const times = text.filter((one) => forms(one) !== null).length;
  if (found.length === 0) return t("None of the words; found by meaning");
  const inTitle = new Set(title.flatMap((one) => forms(one) ?? [])).size;
  const where = [
    inTitle === found.length ? t("in the title") : inTitle > 0 ? tn(inTitle, "one of them in the title", "{n} of them in the title") : "",
    times > 0 ? tn(times, "once in the text", "{n} times in the text") : "",
  ].filter(Boolean);
  return [whichWords(asked, found), new Intl.ListFormat(locale() ?? "en").format(where)].filter(Boolean).join(", ");
}

function whichWords(asked: readonly string[], found: readonly string[]): string {
  const [only = ""] = found;
  if (asked.length === 1) return t("The word “{word}”", { word: only });
  if (found.length < asked.length) return t("{n} of {total} words", { n: found.length, total: asked.length });
  return asked.length === 2 ? t("Both words") : t("All {total} words", { total: asked.length });
}

/** Which word of the query a word of the note is a form of; the server's marks tell the forms. */
function formsOf(asked: readonly string[], { highlights, snippet, passages }: Result): (word: string) => string | null {
  const marked = [{ snippet, highlights }, ...passages].flatMap((one) => one.highlights.map(([start, end]) => one.snippet.slice(start, end)));
  const known = new Map(asked.map((word) => [word, word]));
  for (const word of marked.filter((text) => text.length <= SHORT).flatMap(wordsIn)) {
    const nearest = asked.find((one) => one.slice(0, 4) === word.slice(0, 4));
    if (nearest) known.set(word, nearest);
  }
  return (word) => known.get(word) ?? null;
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu) ?? [];
}

/** A query without its filters, which are no words to look for. */
function plainQuery(query: string): string {
  return query.replaceAll(/(^|\s)-?\w+:\S+|\[[^\]]*\]|\bOR\b/g, " ");
}

function meaningText(all: readonly Result[], { scores, raw }: Result): string {
  const of = (one: Result["scores"]): number => one.meaning ?? one.semantic ?? 0;
  if (raw.cosine === null) return "";
  const nearest = Math.max(...all.map((one) => of(one.scores)), 1e-9);
  const share = of(scores) / nearest;
  return share >= CLOSE ? t("Meaning close") : share >= RELATED ? t("Meaning related") : t("Meaning far");
}

/** What else raised or lowered it. */
function effects({ scores }: Result): string[] {
  const times = (value: number | null | undefined, raised: string, lowered = ""): string => {
    const by = value ?? 1;
    return by >= LEAST ? raised : by <= 1 / LEAST ? lowered : "";
  };
  const sum = ADDENDS.reduce((all, name) => all + (scores[name] ?? 0), 0);
  const counts = (addend: number | null | undefined): boolean => (addend ?? 0) > SHARE * sum;
  return [
    counts(scores.names) ? t("Its name matches the query") : "",
    counts(scores.links) ? t("The best notes link to it") : "",
    times(scores.tag, t("Raised: a tag matches")),
    times(scores.recency, t("Raised by its date"), t("Lowered by its date")),
    times(scores.graph, t("Raised by its links or folder"), t("Lowered by its folder")),
    scores.rerank === null ? "" : t("A second model read it again"),
  ];
}
