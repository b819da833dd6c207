/** Makes the plugin's views, and what it shows within notes, known to the app. */

import { MarkdownView, type Editor, type MarkdownFileInfo, type Plugin, type TFile } from "obsidian";
import type { Extension } from "@codemirror/state";
import type { Finder } from "../finder";
import { ASK_VIEW, AskView } from "./askView";
import { DIAGNOSTICS_VIEW, DiagnosticsView } from "./diagnostics";
import { registerBases } from "./bases";
import { registerCodeBlock } from "./codeBlock";
import { registerFooters } from "./footer";
import { LinkSuggest, putFirst } from "./linkSuggest";
import { mentionMarks } from "./mentionMarks";
import { addMentionItem, linkAMention } from "./mentions";
import { addOwnIcon } from "./icon";
import { searchInNote } from "./noteSearch";
import { SEARCH_VIEW, SearchView } from "./searchView";
import { SIMILAR_VIEW, SimilarView } from "./similarView";
import { registerWhileWriting } from "./whileWriting";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

export function registerViews(plugin: Plugin, context: ViewContext, diagnostics: ConstructorParameters<typeof DiagnosticsView>[1]): void {
  addOwnIcon();
  plugin.registerView(SEARCH_VIEW, (leaf) => new SearchView(leaf, context));
  plugin.registerView(SIMILAR_VIEW, (leaf) => new SimilarView(leaf, context));
  plugin.registerView(ASK_VIEW, (leaf) => new AskView(leaf, context));
  plugin.registerView(DIAGNOSTICS_VIEW, (leaf) => new DiagnosticsView(leaf, diagnostics));
  const { name: display } = plugin.manifest;
  for (const view of [SEARCH_VIEW, SIMILAR_VIEW]) plugin.registerHoverLinkSource(view, { display, defaultMod: true });
}

/** What stands within notes, and what helps while one is written. */
export function registerInNotes(plugin: Plugin, context: ViewContext, finder: Finder): void {
  registerCodeBlock(plugin, context, finder);
  registerBases(plugin, context, finder);
  registerFooters(plugin, context, finder);
  registerLinkSuggest(plugin, context, finder);
  registerMentions(plugin, context);
  registerWhileWriting(plugin, context, finder);
  const { workspace } = plugin.app;
  plugin.addCommand({
    id: "search-in-note",
    name: t("Search in this note by meaning"),
    checkCallback: (isChecking) => {
      const view = workspace.getActiveViewOfType(MarkdownView);
      if (view?.file && !isChecking) searchInNote(plugin, context, view);
      return Boolean(view?.file);
    },
  });
}

/** The suggester is made once the setting asks for it: until then the app has none of ours to ask at a key. */
function registerLinkSuggest(plugin: Plugin, context: ViewContext, finder: Finder): void {
  let suggest: LinkSuggest | null = null;
  const update = (isWanted: boolean): void => {
    if (!isWanted || suggest) return;
    suggest = new LinkSuggest(context, finder);
    plugin.registerEditorSuggest(suggest);
    putFirst(plugin.app, suggest);
  };
  plugin.register(context.settings.watch("completeLinks", update));
}

function registerMentions(plugin: Plugin, context: ViewContext): void {
  const { workspace } = plugin.app;
  const marks: Extension[] = [];
  plugin.registerEditorExtension(marks);
  const update = (isWanted: boolean): void => {
    if (isWanted === marks.length > 0) return;
    marks.splice(0, marks.length, ...(isWanted ? [mentionMarks(context)] : []));
    workspace.updateOptions();
  };
  plugin.register(context.settings.watch("markMentions", update));
  const fileOf = ({ file }: MarkdownFileInfo): TFile | null => file;
  plugin.registerEvent(
    workspace.on("editor-menu", (menu, editor, info) => {
      const file = fileOf(info);
      if (file && context.settings.chosen.markMentions) addMentionItem(context, menu, editor, file);
    }),
  );
  plugin.addCommand({
    id: "link-mention",
    name: t("Link a mention of another note"),
    editorCheckCallback: (isChecking: boolean, editor: Editor, info: MarkdownFileInfo) => {
      const file = fileOf(info);
      if (file && !isChecking) void linkAMention(context, file, editor);
      return file !== null;
    },
  });
}
