/**
 * Creates elements without HTML strings, so that contents of a vault can only become text.
 */

export type Child = Node | string | null | undefined | false;

interface Extras {
  /** Custom properties, set by script: the page's policy refuses style attributes. */
  readonly vars?: Readonly<Record<string, string>>;
  readonly on?: Readonly<Record<string, (event: never) => unknown>>;
}
export type Attributes = Extras & Readonly<Record<string, unknown>>;

type Tags = HTMLElementTagNameMap;

/** An element with attributes and children; attributes that are null, undefined or false are left out. */
export function h<K extends keyof Tags>(tag: K, attributes: Attributes = {}, ...children: Child[]): Tags[K] {
  const el = document.createElement(tag);
  setAttributes(el, attributes);
  append(el, children);
  return el;
}

const SVG = "http://www.w3.org/2000/svg";
type SvgTags = SVGElementTagNameMap;

export function s<K extends keyof SvgTags>(tag: K, attributes: Attributes = {}, ...children: Child[]): SvgTags[K] {
  const el = document.createElementNS(SVG, tag);
  setAttributes(el, attributes);
  append(el, children);
  return el;
}

export function append(el: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) el.append(child);
  }
}

/** Replaces the children of `el`. */
export function fill(el: Element, ...children: Child[]): void {
  el.replaceChildren();
  append(el, children);
}

function setAttributes(el: HTMLElement | SVGElement, { vars, on, ...attributes }: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    el.setAttribute(name, value === true ? "" : `${value as string | number}`);
  }
  for (const [name, value] of Object.entries(vars ?? {})) el.style.setProperty(name, value);
  for (const [name, listener] of Object.entries(on ?? {})) {
    el.addEventListener(name, listener as EventListener);
  }
}

/** Rows that stand where others will be. */
export function skeleton(rows = 4): HTMLElement {
  return h("ul", { class: "skeleton", "aria-hidden": "true" }, ...Array.from({ length: rows }, () => h("li")));
}

/** A button that does not submit a form. */
export function button(label: Child, act: (event: MouseEvent) => unknown, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", ...attributes, on: { click: act } }, label);
}

/** The nearest element around an event's target that matches. */
export function closest(event: Event, selector: string): HTMLElement | null {
  const { target } = event;
  return target instanceof Element ? target.closest<HTMLElement>(selector) : null;
}
