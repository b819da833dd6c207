/** What a note holds beside text: formulas, code in a language, diagrams. What draws them is loaded when a note has them. */

/** Draws them in `root`, one kind after the other. What cannot be drawn stays as it is written. */
export async function enrich(root: ParentNode): Promise<void> {
  if (root.querySelector("[data-math]")) await import("./enrich/math").then(({ setFormulas }) => setFormulas(root));
  if (root.querySelector('[data-code="mermaid"]')) await import("./enrich/diagrams").then(({ drawDiagrams }) => drawDiagrams(root));
  if (root.querySelector("[data-code]")) await import("./enrich/code").then(({ colourCode }) => colourCode(root));
}
