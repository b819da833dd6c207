/** Completes operators in a search field: tags, folders, properties and their values. */

import { AbstractInputSuggest, getAllTags, type App } from "obsidian";
import { completionAt, replaceAt, type Completion } from "./operators";

const VOCABULARY_AGE_MS = 30_000;

/** The tags, folders and properties of the vault's notes. */
interface Vocabulary {
  readonly readAt: number;
  readonly tag: ReadonlySet<string>;
  readonly path: readonly string[];
  readonly properties: ReadonlyMap<string, ReadonlySet<string>>;
}

export class QuerySuggest extends AbstractInputSuggest<string> {
  #vocabulary: Vocabulary | null = null;
  #at: Completion | null = null;
  readonly #field: HTMLInputElement;
  readonly #onChosen: (query: string) => void;

  constructor(app: App, field: HTMLInputElement, onChosen: (query: string) => void) {
    super(app, field);
    this.#field = field;
    this.#onChosen = onChosen;
    this.limit = 50;
  }

  protected override getSuggestions(query: string): string[] {
    const at = completionAt(query, this.#field.selectionStart ?? query.length);
    this.#at = at;
    if (!at) return [];
    const typed = at.typed.toLowerCase();
    /** Words that start with the typed text come first. */
    const rank = (word: string): number => (word.toLowerCase().startsWith(typed) ? 0 : 1);
    return [...this.#candidates(at)]
      .filter((word) => word.toLowerCase().includes(typed) && word !== at.typed)
      .sort((one, other) => rank(one) - rank(other) || one.localeCompare(other));
  }

  override renderSuggestion(word: string, el: HTMLElement): void {
    el.setText(word);
  }

  override selectSuggestion(word: string): void {
    if (!this.#at) return;
    const { query, caret } = replaceAt(this.#field.value, this.#at, word);
    this.#onChosen(query);
    this.#field.setSelectionRange(caret, caret);
    this.close();
  }

  /** The vocabulary is cached for a while, because reading every note's metadata at each key is too slow. */
  #candidates({ kind, property = "" }: Completion): Iterable<string> {
    if (!this.#vocabulary || Date.now() - this.#vocabulary.readAt > VOCABULARY_AGE_MS) {
      this.#vocabulary = readVocabulary(this.app);
    }
    const { properties } = this.#vocabulary;
    if (kind === "property") return properties.keys();
    if (kind === "value") return properties.get(property.toLowerCase()) ?? [];
    return this.#vocabulary[kind];
  }
}

function readVocabulary({ vault, metadataCache }: App): Vocabulary {
  const tag = new Set<string>();
  const properties = new Map<string, Set<string>>();
  for (const file of vault.getMarkdownFiles()) {
    const cache = metadataCache.getFileCache(file);
    if (!cache) continue;
    for (const found of getAllTags(cache) ?? []) tag.add(found.slice(1));
    for (const [name, value] of Object.entries(cache.frontmatter ?? {})) {
      collect(properties, name.toLowerCase(), value);
    }
  }
  const path = vault.getAllFolders().map((folder) => folder.path);
  return { readAt: Date.now(), tag, path, properties };
}

function collect(properties: Map<string, Set<string>>, name: string, value: unknown): void {
  const values = properties.get(name) ?? new Set();
  properties.set(name, values);
  for (const item of [value].flat()) {
    if (typeof item !== "object") values.add(`${item as string | number | boolean}`);
  }
}
