/** Completes operators in a search field: tags, folders, properties and their values. */

import { AbstractInputSuggest, getAllTags, type App } from "obsidian";
import { completionAt, replaceAt, type Completion } from "./operators";

const MOST = 50;
const VOCABULARY_AGE_MS = 30_000;

/** What the vault's notes offer to complete with. */
interface Vocabulary {
  readonly tags: readonly string[];
  readonly folders: readonly string[];
  readonly properties: ReadonlyMap<string, ReadonlySet<string>>;
}

export class QuerySuggest extends AbstractInputSuggest<string> {
  #vocabulary: Vocabulary | null = null;
  #readAt = 0;
  #at: Completion | null = null;

  readonly #field: HTMLInputElement;
  readonly #onChosen: (query: string) => void;

  constructor(
    app: App,
    field: HTMLInputElement,
    onChosen: (query: string) => void,
  ) {
    super(app, field);
    this.#field = field;
    this.#onChosen = onChosen;
    this.limit = MOST;
  }

  protected override getSuggestions(query: string): string[] {
    this.#at = completionAt(query, this.#field.selectionStart ?? query.length);
    if (!this.#at) return [];
    const typed = this.#at.typed.toLowerCase();
    return this.#candidates(this.#at)
      .filter((word) => word.toLowerCase().includes(typed) && word !== this.#at?.typed)
      .sort((one, other) => rank(one, typed) - rank(other, typed) || one.localeCompare(other))
      .slice(0, MOST);
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

  #candidates(at: Completion): readonly string[] {
    const words = this.#words();
    switch (at.kind) {
      case "tag":
        return words.tags;
      case "path":
        return words.folders;
      case "property":
        return [...words.properties.keys()];
      case "value":
        return [...(words.properties.get(at.property.toLowerCase()) ?? [])];
    }
  }

  /** Reading every note's cache takes milliseconds, so it is done now and then, not at each key. */
  #words(): Vocabulary {
    if (!this.#vocabulary || Date.now() - this.#readAt > VOCABULARY_AGE_MS) {
      this.#vocabulary = readVocabulary(this.app);
      this.#readAt = Date.now();
    }
    return this.#vocabulary;
  }
}

/** Words that begin as typed come first. */
function rank(word: string, typed: string): number {
  return word.toLowerCase().startsWith(typed) ? 0 : 1;
}

function readVocabulary(app: App): Vocabulary {
  const tags = new Set<string>();
  const properties = new Map<string, Set<string>>();
  for (const file of app.vault.getMarkdownFiles()) {
    const cache = app.metadataCache.getFileCache(file);
    if (!cache) continue;
    for (const tag of getAllTags(cache) ?? []) tags.add(tag.slice(1));
    for (const [name, value] of Object.entries(cache.frontmatter ?? {})) {
      collect(properties, name.toLowerCase(), value);
    }
  }
  const folders = app.vault.getAllFolders().map((folder) => folder.path);
  return { tags: [...tags], folders, properties };
}

function collect(properties: Map<string, Set<string>>, name: string, value: unknown): void {
  const values = properties.get(name) ?? new Set<string>();
  properties.set(name, values);
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if (typeof item === "string" || typeof item === "number" || typeof item === "boolean") {
      values.add(String(item));
    }
  }
}
