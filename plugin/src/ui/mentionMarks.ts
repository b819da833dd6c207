/**
 * A quiet mark under names of notes that could be links. Nothing is looked for at a key: marks move with
 * the text, and what is in sight is read anew in a pause.
 */

import { StateEffect, type Extension } from "@codemirror/state";
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type PluginValue, type ViewUpdate } from "@codemirror/view";
import { editorInfoField, type EventRef } from "obsidian";
import { Timer } from "../support";
import { mentionsIn, type MentionParts } from "./mentions";
import { t } from "../texts";

const PAUSE_MS = 500;
const LONGEST_NOTE = 500_000; // characters; telling what of a longer one is code would take more than a frame
const LONGEST_SIGHT = 20_000; // lines that are folded to nothing or very long are in sight by the thousand

const found = StateEffect.define<DecorationSet>();

class MentionMarks implements PluginValue {
  decorations = Decoration.none;
  readonly #parts: MentionParts;
  readonly #view: EditorView;
  readonly #pause = new Timer();
  readonly #resolved: EventRef;

  constructor(view: EditorView, parts: MentionParts) {
    this.#view = view;
    this.#parts = parts;
    // The app knows of a new link once the note is saved, which may be after the pause.
    this.#resolved = parts.app.metadataCache.on("resolved", () => this.#later());
    this.#later();
  }

  update({ docChanged, viewportChanged, changes, transactions }: ViewUpdate): void {
    if (docChanged) this.decorations = this.decorations.map(changes);
    for (const { effects } of transactions) {
      for (const effect of effects) if (effect.is(found)) this.decorations = effect.value;
    }
    if (docChanged || viewportChanged) this.#later();
  }

  destroy(): void {
    this.#pause.clear();
    this.#parts.app.metadataCache.offref(this.#resolved);
  }

  #later(): void {
    this.#pause.set(PAUSE_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    await this.#parts.local.mentions.ready();
    if (this.#pause.isSet || !this.#view.dom.isConnected) return; // somebody types again, or it was closed
    const marks = this.#marks();
    if (marks.size > 0 || this.decorations.size > 0) this.#view.dispatch({ effects: found.of(marks) });
  }

  #marks(): DecorationSet {
    const { state, visibleRanges } = this.#view;
    const { file } = state.field(editorInfoField, false) ?? {};
    if (!file || state.doc.length > LONGEST_NOTE) return Decoration.none;
    const known = new Set<string>(); // each note is offered once
    const marks = visibleRanges.flatMap((range) => {
      const { from } = state.doc.lineAt(range.from);
      const text = state.sliceDoc(from, Math.min(range.to, from + LONGEST_SIGHT));
      return mentionsIn(this.#parts, file, text, state.sliceDoc(0, from)).flatMap(({ start, end, path }) => {
        if (known.has(path)) return [];
        known.add(path);
        const name = path.replace(/^.*\/|\.md$/g, "");
        const look = { class: "notewell-mention", attributes: { title: t("Link to “{name}”? Right click, or the command “Link a mention”.", { name }) } };
        return Decoration.mark(look).range(from + start, from + end);
      });
    });
    return Decoration.set(marks, true);
  }
}

export function mentionMarks(parts: MentionParts): Extension {
  return ViewPlugin.define((view) => new MentionMarks(view, parts), { decorations: ({ decorations }) => decorations });
}
