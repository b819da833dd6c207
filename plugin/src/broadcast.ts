/** Something that has news, and those who want to hear of it. */

type Listener<News> = (news: News) => void;

export class Broadcast<News> {
  readonly #listeners = new Set<Listener<News>>();

  /** Calls `listener` at all news from now on. Returns how to stop. */
  subscribe(listener: Listener<News>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected notify(news: News): void {
    for (const listener of [...this.#listeners]) listener(news);
  }
}
