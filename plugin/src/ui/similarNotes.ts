/** Similar notes: which of them are shown, what to say where none is, and choosing one to link to. */

import { FuzzySuggestModal, Notice, type MarkdownView } from "obsidian";
import { asServerError } from "../client";
import type { Session } from "../connection";
import type { LedgerRow, LedgerState, Match, Result } from "../contract";
import { withNotice } from "./dialogs";
import { message, settingsButton, type Explanation } from "./explain";
import { isAtLeast } from "./scores";
import { linkTo } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

export interface Filter {
  readonly self: string;
  readonly least: Match;
  /** Null where linked notes are shown too. */
  readonly isLinked: ((path: string) => boolean) | null;
}

export interface Filtered {
  readonly shown: readonly Result[];
  readonly belowLeast: number;
  readonly linked: number;
}

export const allLinked = (): Explanation => message(t("All linked"), t("Every similar note is linked already."));
export const openANote = (): Explanation => message(t("Open a note"), t("Or drop a note or some text here."));

export function filtered(results: readonly Result[], filter: Filter): Filtered {
  const others = results.filter((result) => result.path !== filter.self.normalize());
  const closeEnough = others.filter((result) => isAtLeast(result, filter.least));
  const shown = closeEnough.filter((result) => !filter.isLinked?.(result.path));
  return { shown, belowLeast: others.length - closeEnough.length, linked: closeEnough.length - shown.length };
}

/** Why nothing is shown although the server answered. */
export function emptyMessage({ belowLeast, linked, shown }: Filtered): Explanation {
  if (shown.length > 0) return message(t("All hidden"), t("Every similar note is hidden here."));
  if (linked > 0) return allLinked();
  if (belowLeast > 0) {
    return message(t("No note is similar enough"), t("None reaches the least match of the settings."), [settingsButton()]);
  }
  return message(t("No similar notes"), t("No note is similar to this one, or it has no text."));
}

/** Why a note is not in the index, from the ledger. */
export async function explainMissingNote(session: Session, path: string): Promise<Explanation> {
  const title = t("Not in the index");
  try {
    const { entries } = await session.client.ledger({ path });
    return entries[0] ? explainLedgerRow(entries[0]) : message(title, t("It is new, or it does not exist."));
  } catch (error) {
    return message(title, asServerError(error).message);
  }
}

export function explainLedgerRow({ state, reason, rule }: LedgerRow): Explanation {
  const why = reason ?? "";
  const explanations: Partial<Record<LedgerState, Parameters<typeof message>>> = {
    excluded: rule === "missing" ? [t("This note is not here"), why] : [t("This note is excluded"), t("{why} (rule: {rule})", { why, rule: rule ?? t("unknown") }).trim()],
    failed: [t("This note could not be read"), why, [["errors", t("Show errors")]]],
    indexed: [t("Indexed"), t("If it has no similar notes, it has no text.")],
    keyword_only: [t("Found by keywords only"), t("Its embeddings are not computed yet.")],
  };
  return message(...(explanations[state] ?? [t("Not indexed yet"), t("It is waiting to be indexed.")]));
}

class SimilarSuggest extends FuzzySuggestModal<Result> {
  constructor(
    context: ViewContext,
    override readonly getItems: () => Result[],
    override readonly onChooseItem: (result: Result) => void,
  ) {
    super(context.app);
    this.setPlaceholder(t("Link to a similar note…"));
  }

  override getItemText({ title }: Result): string {
    return title;
  }
}

/** Lets the user choose a note similar to the one in `view`, and inserts a link to it at the cursor. */
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
    if (others.length === 0) new Notice(allLinked().text);
    else new SimilarSuggest(context, () => others, insert).open();
  };
  await withNotice(suggest());
}
