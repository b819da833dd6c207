/** Choices of how the pages look, in the storage of this browser. */

const PREFIX = "notewell:look:";

export function preference(name: string): string {
  try {
    return localStorage.getItem(PREFIX + name) ?? "";
  } catch {
    return ""; // storage is blocked; the page looks as it does at first
  }
}

export function setPreference(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // It lasts as long as the page.
  }
}
