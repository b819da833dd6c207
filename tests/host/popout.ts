/**
 * Second windows. As in the app they are windows of the browser's own, with a document and a set of
 * classes of their own (`HTMLElement` there is another one than here), while all code runs here.
 */

import { keymap } from "./keymap";

const HELPED = ["Node", "Element", "HTMLElement", "SVGElement", "UIEvent", "Document", "DocumentFragment"];

/** Gives the second window's classes the helpers that the app adds to all of them. */
function shareHelpers(win: Window): void {
  for (const name of HELPED) {
    const [ours, theirs] = [prototypeOf(window, name), prototypeOf(win, name)];
    for (const [key, helper] of Object.entries(Object.getOwnPropertyDescriptors(ours))) {
      if (!(key in theirs)) Object.defineProperty(theirs, key, helper);
    }
  }
}

function prototypeOf(win: Window, name: string): object {
  return (win as unknown as Record<string, { prototype: object }>)[name]?.prototype ?? {};
}

/** Tells of an object of any window whether it is one of `type`, as `instanceof` cannot. */
function instanceOf(this: Node | UIEvent, type: new (...args: never[]) => unknown): boolean {
  if (this instanceof type) return true;
  const there = (this.win as unknown as Record<string, unknown>)[type.name];
  return typeof there === "function" && this instanceof there;
}

/** The mocks know one window only. */
export function teachWindows(): void {
  for (const { prototype } of [Node, UIEvent]) {
    Object.defineProperty(prototype, "instanceOf", { value: instanceOf, configurable: true });
  }
  Object.defineProperties(UIEvent.prototype, {
    win: {
      configurable: true,
      get(this: UIEvent) {
        return this.view ?? window;
      },
    },
    targetNode: {
      configurable: true,
      get(this: UIEvent) {
        const { target } = this;
        return target && "nodeType" in target ? target : null;
      },
    },
  });
  follow(window);
}

/** What a person used last is the active window. */
function follow(win: Window): void {
  for (const event of ["mousedown", "keydown", "focusin"]) {
    win.document.addEventListener(event, () => activate(win), true);
  }
}

function activate(win: Window): void {
  Object.assign(window, { activeWindow: win, activeDocument: win.document });
}

/** Opens a window that looks as this one does; `closed` is called when it is gone. */
export function openWindow(closed: () => void): Window {
  const win = window.open("", "_blank", "popup,width=760,height=640");
  if (!win) throw new Error("The browser opened no window.");
  shareHelpers(win);
  const { body, head } = win.document;
  body.className = `${document.body.className} is-popout-window`;
  for (const style of document.querySelectorAll("style")) head.append(win.document.importNode(style, true));
  keymap.listen(win.document);
  follow(win);
  win.addEventListener("pagehide", () => {
    activate(window);
    closed();
  });
  activate(win);
  return win;
}
