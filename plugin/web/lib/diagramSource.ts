/** The text of a Mermaid diagram as the program that draws it here reads it. */

/** Diagrams of other kinds stay as they are written. */
const DRAWN = /^(graph|flowchart|sequenceDiagram|stateDiagram(-v2)?|classDiagram|erDiagram)\b/;

/** The kind of a diagram, and whether it can be drawn here. */
export function kindOf(text: string): { readonly kind: string; readonly isDrawn: boolean } {
  const first = plainSource(text).split("\n", 1)[0]?.trim() ?? "";
  return { kind: /^[\w-]*/.exec(first)?.[0] ?? "", isDrawn: DRAWN.test(first) };
}

/** Without settings, comments and quotes around labels; a label of several lines has one. */
export function plainSource(text: string): string {
  return text
    .replace(/^\s*---\n[\s\S]*?\n---\n/, "")
    .split("\n")
    .filter((line) => !/^\s*%%/.test(line))
    .map((line) => line.replace(/<br\s*\/?>/gi, " ").replace(/([[({|])"([^"\n]*)"(?=[\])}|])/g, (_, open: string, label: string) => open + plainLabel(label)))
    .join("\n")
    .trim();
}

/** Brackets would end the label that its quotes kept together. */
function plainLabel(label: string): string {
  return label.replace(/[[{(]/g, "‹").replace(/[\]})]/g, "›").replaceAll("|", "¦");
}
