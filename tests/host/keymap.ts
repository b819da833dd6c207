/** Keys: what modifiers ask for, and who gets a key first. */

import type {
  KeymapContext,
  KeymapEventHandler,
  KeymapEventListener,
  Keymap as AppKeymap,
  Modifier,
  PaneType,
  Scope as AppScope,
  UserEvent,
} from "obsidian";

type Key = Exclude<Modifier, "Ctrl">; // on a desktop other than macOS, Mod is Ctrl

const NAMES: readonly [Key, "ctrlKey" | "altKey" | "shiftKey" | "metaKey"][] = [
  ["Mod", "ctrlKey"],
  ["Alt", "altKey"],
  ["Shift", "shiftKey"],
  ["Meta", "metaKey"],
];

function pressed(event: KeyboardEvent): string {
  return NAMES.flatMap(([name, key]) => (event[key] ? [name] : [])).join(",");
}

function written(modifiers: readonly Modifier[]): string {
  const meant = modifiers.map((name): Key => (name === "Ctrl" ? "Mod" : name));
  return NAMES.flatMap(([name]) => (meant.includes(name) ? [name] : [])).join(",");
}

interface Handler extends KeymapEventHandler {
  readonly func: KeymapEventListener;
}

export class Scope implements AppScope {
  readonly #parent: Scope | undefined;
  #handlers: Handler[] = [];

  constructor(parent?: AppScope) {
    this.#parent = parent as Scope | undefined;
  }

  register(
    modifiers: Modifier[] | null,
    key: string | null,
    func: KeymapEventListener,
  ): KeymapEventHandler {
    const asked = modifiers && written(modifiers);
    const handler: Handler = { scope: this, modifiers: asked, key, func };
    this.#handlers.push(handler);
    return handler;
  }

  unregister(handler: KeymapEventHandler): void {
    this.#handlers = this.#handlers.filter((one) => one !== handler);
  }

  /** The answer of the first handler for the key; undefined where nobody wants it. */
  handle(event: KeyboardEvent): unknown {
    const context: KeymapContext = { vkey: event.key, modifiers: pressed(event), key: event.key };
    const match = this.#handlers.find(
      ({ key, modifiers }) =>
        (key === null || key.toLowerCase() === event.key.toLowerCase()) &&
        (modifiers === null || modifiers === context.modifiers),
    );
    return match ? match.func(event, context) : this.#parent?.handle(event);
  }
}

export class Keymap implements AppKeymap {
  readonly #scopes: Scope[] = [];

  /** Keys go to the scope on top, before the element that has the focus. */
  listen(target: Document): void {
    target.addEventListener(
      "keydown",
      (event) => {
        if (this.#scopes.at(-1)?.handle(event) !== false) return;
        event.preventDefault();
        event.stopPropagation();
      },
      true,
    );
  }

  pushScope(scope: AppScope): void {
    this.#scopes.push(scope as Scope);
  }

  popScope(scope: AppScope): void {
    const at = this.#scopes.indexOf(scope as Scope);
    if (at >= 0) this.#scopes.splice(at, 1);
  }

  static isModifier(event: MouseEvent | TouchEvent | KeyboardEvent, modifier: Modifier): boolean {
    const key = NAMES.find(([name]) => name === (modifier === "Ctrl" ? "Mod" : modifier))?.[1];
    return key !== undefined && event[key];
  }

  static isModEvent(event?: UserEvent | null): PaneType | boolean {
    if (!event) return false;
    const isMiddle = "button" in event && event.button === 1; // of whichever window
    if (!event.ctrlKey && !isMiddle) return false;
    if (!event.altKey) return "tab";
    return event.shiftKey ? "window" : "split";
  }
}

export const keymap = new Keymap();
keymap.listen(document);
