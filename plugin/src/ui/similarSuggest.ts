/** Chooses one of the notes like the active one, to link to it. */

import { FuzzySuggestModal, Notice, type MarkdownView } from "obsidian";
import type { Result } from "../contract";
import type { Desk } from "./desk";
import { told } from "./dialogs";
import { linkTo } from "./open";

class SimilarSuggest extends FuzzySuggestModal<Result> {
  readonly #results: readonly Result[];
  readonly #choose: (result: Result) => void;

  constructor(desk: Desk, results: readonly Result[], choose: (result: Result) => void) {
    super(desk.app);
    this.#results = results;
    this.#choose = choose;
    this.setPlaceholder("Link to a similar note…");
  }

  override getItems(): Result[] {
    return [...this.#results];
  }

  override getItemText(result: Result): string {
    return result.title;
  }

  override onChooseItem(result: Result): void {
    this.#choose(result);
  }
}

/** Asks for the notes like the one in `view`, to write a link to one of them at its cursor. */
export async function insertSimilarLink(desk: Desk, view: MarkdownView | null): Promise<void> {
  const { session } = desk.connection;
  const note = view?.file?.path;
  if (!session || note === undefined) return;
  const limit = desk.settings.vault.resultLimit;
  const insert = ({ path }: Result): void => {
    const link = linkTo(desk.app, { path, passage: null }, note);
    if (link) view?.editor.replaceSelection(link);
  };
  const suggest = async (): Promise<void> => {
    const { results } = await session.client.similar(note, { limit, unlinked: true });
    const others = results.filter(({ path }) => path !== note);
    if (others.length === 0) new Notice("No similar note that is not linked already.");
    else new SimilarSuggest(desk, others, insert).open();
  };
  await told(suggest());
}
