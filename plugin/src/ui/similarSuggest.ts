/** Chooses one of the notes like the active one, to link to it. */

import { FuzzySuggestModal, Notice, type MarkdownView } from "obsidian";
import type { Result } from "../contract";
import type { ViewContext } from "./viewContext";
import { withNotice } from "./dialogs";
import { linkTo } from "./open";
import { ALL_LINKED } from "./similarNotes";

class SimilarSuggest extends FuzzySuggestModal<Result> {
  constructor(
    context: ViewContext,
    override readonly getItems: () => Result[],
    override readonly onChooseItem: (result: Result) => void,
  ) {
    super(context.app);
    this.setPlaceholder("Link to a similar note…");
  }

  override getItemText({ title }: Result): string {
    return title;
  }
}

/** Asks for the notes like the one in `view`, to write a link to one of them at its cursor. */
export async function insertSimilarLink(context: ViewContext, view: MarkdownView | null): Promise<void> {
  const { connection, settings, app } = context;
  const { session } = connection;
  const note = view?.file?.path;
  if (!session || note === undefined) return;
  const insert = ({ path }: Result): void =>
    view?.editor.replaceSelection(linkTo(app, { path, passage: null }, note));
  const suggest = async (): Promise<void> => {
    const limit = settings.chosen.resultLimit;
    const { results } = await session.client.similar(note, { limit, unlinked: true });
    const others = results.filter(({ path }) => path !== note);
    if (others.length === 0) new Notice(ALL_LINKED.text);
    else new SimilarSuggest(context, () => others, insert).open();
  };
  await withNotice(suggest());
}
