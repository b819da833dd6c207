/** The commands of plugins. */

import type { App, Command, MarkdownView } from "obsidian";

export class Commands {
  readonly commands = new Map<string, Command>();
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** Whether the palette would list it now. */
  isPossible(id: string): boolean {
    const command = this.commands.get(id);
    if (!command) throw new Error(`There is no command “${id}”.`);
    const view = this.#app.workspace.activeEditor as MarkdownView | null;
    if (command.editorCheckCallback) return view !== null && command.editorCheckCallback(true, view.editor, view) === true;
    return command.checkCallback ? command.checkCallback(true) === true : true;
  }

  run(id: string): void {
    const command = this.commands.get(id);
    if (!command || !this.isPossible(id)) throw new Error(`“${id}” cannot be done now.`);
    const view = this.#app.workspace.activeEditor as MarkdownView | null;
    if (command.callback) command.callback();
    else if (command.checkCallback) command.checkCallback(false);
    else if (command.editorCheckCallback && view) command.editorCheckCallback(false, view.editor, view);
    else if (command.editorCallback && view) command.editorCallback(view.editor, view);
  }
}
