/**
 * Every interface text in the chosen language, for the plugin and the web pages.
 *
 * The English text is its own key: `t("{name} is running", { name })`. So English takes no catalogue,
 * the code reads as the page does, and what a catalogue lacks is shown in English. plugin/texts/de.json
 * holds the German ones; a test finds texts that it lacks, and texts in the code outside of these functions.
 *
 * Texts are asked for when they are shown and never while a module loads, because the catalogue comes later.
 */


/** What stands for the names in braces. Numbers are written as the language writes them. */
export type Values = Readonly<Record<string, string | number>>;

/** One text, or its forms by number: "one", "other" and so on, by the rules of the language (CLDR). */
export type Entry = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/**
 * The texts of a language, by the English ones; of a text with forms, by the English plural. What the build packs
 * has hashes of these.
 */
export type Catalogue = Readonly<Record<string, Entry>>;

const NAME = /\{(\w+)\}/g;

class Language {
  /** null: English, which is in the code. */
  catalogue: Catalogue | null = null;
  /** For dates and numbers; undefined is what the device is set to. */
  locale: string | undefined = undefined;
  #plurals: Intl.PluralRules | null = null;

  choose(locale: string | undefined, catalogue: Catalogue | null): void {
    this.locale = locale;
    this.catalogue = catalogue;
    this.#plurals = null;
  }

  /** What the language has for a text. */
  entry(english: string): Entry | undefined {
    const { catalogue } = this;
    return catalogue ? (catalogue[english] ?? catalogue[hashOf(english)]) : undefined;
  }

  form(n: number): Intl.LDMLPluralRule {
    this.#plurals ??= new Intl.PluralRules(this.locale);
    return this.#plurals.select(n);
  }
}

const chosen = new Language();

/** Shows all texts in another language from now on; null is English. Writes dates and numbers as `locale` (BCP 47) has them. */
export function useLanguage(locale: string | undefined, catalogue: Catalogue | null): void {
  chosen.choose(locale && languageTag(locale), catalogue);
}

/** The language tag that `Intl` takes; undefined where none is meant. A browser on Linux may say "en-US@posix". */
export function languageTag(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name.replace(/[.@].*/, "").replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}

/** The locale for `Intl`; undefined is what the device is set to. */
export function locale(): string | undefined {
  return chosen.locale;
}

/** A text in the chosen language. */
export function t(english: string, values?: Values): string {
  const entry = chosen.entry(english);
  return filled(typeof entry === "string" ? entry : english, values);
}

/** A text about `n` things, which `{n}` stands for: tn(3, "{n} note", "{n} notes"). */
export function tn(n: number, one: string, many: string, values?: Values): string {
  const entry = chosen.entry(many);
  const forms = typeof entry === "string" ? { other: entry } : entry;
  const found = forms && (forms[chosen.form(n)] ?? forms.other);
  return filled(found ?? (n === 1 ? one : many), { n, ...values });
}

/** A text with things in it that are no text, such as elements, in the order of the language. */
export function tparts<T>(english: string, things: Readonly<Record<string, T>>): (T | string)[] {
  // Splitting by a pattern with a group gives text and name by turns.
  return t(english).split(NAME).map((part, at) => (at % 2 === 1 ? (things[part] ?? `{${part}}`) : part)).filter((part) => part !== "");
}

/** A number as the language writes it, with `digits` digits after the point if they are given. */
export function number(n: number, digits?: number): string {
  const options = digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return n.toLocaleString(chosen.locale, options);
}

/** The first 24 bits of FNV-1a, the same as in plugin/texts/pack.mjs: a key takes less of the bundle, and the build refuses two texts of one hash. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 8).toString(36);
}

function filled(text: string, values: Values | undefined): string {
  if (!values) return text;
  return text.replace(NAME, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}
