/** Lists that are drawn anew at each keystroke: rows that stay are moved and brought up to date, not made again. */

/** Makes `wanted` the children of a list: a child with the same `data-key` is kept, brought up to date and moved. */
export function arrange(list: Element, wanted: readonly HTMLElement[]): void {
  const known = new Map([...list.children].map((el) => [el instanceof HTMLElement ? el.dataset["key"] : undefined, el]));
  const rows = wanted.map((el) => {
    const before = el.dataset["key"] ? known.get(el.dataset["key"]) : undefined;
    if (!before) return el;
    become(before, el);
    return before;
  });
  const kept = new Set<Element>(rows);
  for (const el of [...list.children]) if (!kept.has(el)) el.remove();
  for (const [n, row] of rows.entries()) if (list.children[n] !== row) list.insertBefore(row, list.children[n] ?? null);
}

/** Makes an element, and what is in it, equal to another one; its listeners and those of elements that stay are the ones of before. */
function become(el: Element, wanted: Element): void {
  if (el.isEqualNode(wanted)) return;
  takeAttributes(el, wanted);
  const before = [...el.childNodes];
  const after = [...wanted.childNodes];
  for (const [n, node] of after.entries()) {
    const old = before[n];
    if (!old) el.append(node);
    else if (old instanceof Element && node instanceof Element && old.tagName === node.tagName) become(old, node);
    else if (!old.isEqualNode(node)) old.replaceWith(node);
  }
  for (const rest of before.slice(after.length)) rest.remove();
}

function takeAttributes(el: Element, wanted: Element): void {
  for (const { name } of [...el.attributes]) if (name !== "open" && !wanted.hasAttribute(name)) el.removeAttribute(name); // what was unfolded stays so
  for (const { name, value } of [...wanted.attributes]) if (el.getAttribute(name) !== value) el.setAttribute(name, value);
}
