/** Moving through a list of results by keys. */

export function moveAmong(list: HTMLElement, key: string): boolean {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
  if (step === undefined) return false;
  const rows = [...list.querySelectorAll<HTMLElement>("[data-result]")];
  const at = rows.findIndex((row) => row === document.activeElement);
  if (at === 0 && step < 0) {
    document.getElementById("q")?.focus();
    return true;
  }
  const next = at < 0 ? rows[0] : rows[Math.min(rows.length - 1, at + step)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}

/** Opens the focused result, else the one that is shown, in Obsidian. */
export function openInObsidian(list: HTMLElement): boolean {
  const row = list.querySelector<HTMLElement>("[data-result]:focus") ?? list.querySelector<HTMLElement>('[aria-current="true"]');
  const uri = row?.dataset["uri"];
  if (uri) location.assign(uri);
  return uri !== undefined;
}
