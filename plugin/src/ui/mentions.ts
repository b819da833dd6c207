/** Names of notes that stand in a note without a link: found, and turned into links. */

import { FuzzySuggestModal, Notice, type App, type Editor, type Menu, type TFile } from "obsidian";
import type { LocalIndex } from "../local/localIndex";
import type { Mention } from "../local/mentions";
import { prose } from "../local/prose";
import { noteAt } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

const LONGEST_NOTE = 100_000; // characters in which the command looks for names

export interface MentionParts {
  readonly app: App;
  readonly local: LocalIndex;
}

/**
 * The names of other notes in `text`, part of the note `file` after `before`, by offsets into `text`. Notes
 * that the note links to already are left out.
 */
export function mentionsIn({ app, local }: MentionParts, file: TFile, text: string, before = ""): Mention[] {
  const linked = app.metadataCache.resolvedLinks[file.path] ?? {};
  return local.mentions.find(prose(text, before), (path) => path !== file.path && !(path in linked));
}

/** The mention at the cursor; null where none is. */
export function mentionAtCursor(parts: MentionParts, file: TFile, editor: Editor): Mention | null {
  const from = { line: editor.getCursor().line, ch: 0 };
  const start = editor.posToOffset(from);
  const before = editor.getRange({ line: 0, ch: 0 }, from).slice(0, LONGEST_NOTE);
  const at = editor.posToOffset(editor.getCursor()) - start;
  const found = mentionsIn(parts, file, editor.getLine(from.line), before).find((one) => one.start <= at && at <= one.end);
  return found ? { ...found, start: start + found.start, end: start + found.end } : null;
}

/** Turns a mention into a link, which shows the words that stand there. */
export function linkMention({ metadataCache, fileManager, vault }: App, file: TFile, editor: Editor, { start, end, path }: Mention): void {
  const note = vault.getFileByPath(path);
  if (!note) return;
  const [from, to] = [editor.offsetToPos(start), editor.offsetToPos(end)];
  const text = editor.getRange(from, to);
  const isName = text === metadataCache.fileToLinktext(note, file.path);
  editor.replaceRange(fileManager.generateMarkdownLink(note, file.path, "", isName ? undefined : text), from, to);
}

class MentionSuggest extends FuzzySuggestModal<Mention> {
  constructor(
    app: App,
    override readonly getItems: () => Mention[],
    override readonly getItemText: (mention: Mention) => string,
    override readonly onChooseItem: (mention: Mention) => void,
  ) {
    super(app);
    this.setPlaceholder(t("Link a name that stands in this note…"));
  }
}

/** Links the mention at the cursor; where none is, lets one of the note's be chosen. */
export async function linkAMention(context: ViewContext, file: TFile, editor: Editor): Promise<void> {
  const { app, local } = context;
  await local.mentions.ready();
  const here = mentionAtCursor(context, file, editor);
  if (here) {
    linkMention(app, file, editor, here);
    return;
  }
  const text = editor.getValue();
  const all = mentionsIn(context, file, text.slice(0, LONGEST_NOTE));
  const label = ({ start, end, path }: Mention): string => {
    const [name, title] = [text.slice(start, end), noteAt(app, path)?.basename ?? path];
    return name === title ? name : `${name} → ${title}`;
  };
  if (all.length === 0) new Notice(t("No unlinked name of another note stands here."));
  else new MentionSuggest(app, () => all, label, (mention) => linkMention(app, file, editor, mention)).open();
}

/** Adds the link to a mention to the menu that opens on it. */
export function addMentionItem(context: ViewContext, menu: Menu, editor: Editor, file: TFile): void {
  const mention = mentionAtCursor(context, file, editor);
  const note = mention && noteAt(context.app, mention.path);
  if (!note) return;
  menu.addItem((item) => {
    item.setTitle(t("Link to “{basename}”", { basename: note.basename })).setIcon("link").setSection("selection-link");
    item.onClick(() => linkMention(context.app, file, editor, mention));
  });
}
