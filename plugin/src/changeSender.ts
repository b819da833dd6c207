/**
 * Brings changes to the server: one batch at a time, dropped only when acknowledged, compared with
 * the server's manifest at every connect. One sender serves one vault; what it does belongs to a
 * session of the connection, and an answer from an earlier session changes nothing.
 */

import type { ChangeQueue } from "./changes";
import { asServerError } from "./client";
import type { Connection, Session } from "./connection";
import type { FileStamp } from "./client";
import type { Change } from "./contract";
import { Ring, Timer } from "./support";

/** The vault, as far as the server needs to know it. */
export interface VaultFiles {
  stamps(): readonly FileStamp[];
  stamp(path: string): FileStamp | null;
  read(path: string): Promise<string | null>;
}

export interface ChangeSenderParts {
  readonly connection: Connection;
  readonly queue: ChangeQueue;
  readonly files: VaultFiles;
  /** Asks whether the contents of `notes` notes may go to the server at `url`. */
  readonly mayUpload: (url: string, notes: number) => Promise<boolean>;
  /** So many notes are gone that a person should say whether that is meant. */
  readonly askAboutGone: () => void;
}

const BATCH_CHANGES = 200;
const BATCH_CHARS = 2_000_000; // at most 3 bytes each in UTF-8, under the server's 16 MiB
const LARGEST_NOTE_CHARS = 4_000_000;
const RETRY_MS = 10_000;

export class ChangeSender {
  /** Changes that the server would not take, with its reason; the last ones. */
  readonly rejected = new Ring<string>(20);
  readonly #parts: ChangeSenderParts;
  #reconciled: Session | null = null;
  #declined: Session | null = null;
  #isRunning = false;
  readonly #timer = new Timer();
  #stop: (() => void) | null = null;

  constructor(parts: ChangeSenderParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#stop = this.#parts.connection.subscribe(() => this.wake());
    this.wake();
  }

  end(): void {
    this.#stop?.();
    this.#stop = null;
    this.#timer.clear();
  }

  /** Something changed, in the vault or with the server: see what is to do, and when. */
  wake(): void {
    const { connection, queue } = this.#parts;
    const { session } = connection;
    this.#timer.clear();
    if (!this.#stop || this.#isRunning || !session || session === this.#declined) return;
    const wait = session === this.#reconciled ? queue.due() : 0;
    if (wait !== null) this.#timer.set(wait, () => this.#run(session));
  }

  async #run(session: Session): Promise<void> {
    this.#isRunning = true;
    let isDone = false;
    try {
      await this.#deliver(session);
      if (session !== this.#reconciled) await this.#reconcile(session);
      isDone = true;
    } catch (error) {
      this.#parts.connection.report(error);
    } finally {
      this.#isRunning = false;
      if (isDone) this.wake();
      else this.#timer.set(RETRY_MS, () => this.wake());
    }
  }

  #isCurrent(session: Session): boolean {
    return this.#stop !== null && this.#parts.connection.session === session;
  }

  /** Sends what is due. */
  async #deliver(session: Session): Promise<void> {
    const { queue, connection } = this.#parts;
    let sent = 0;
    while (this.#isCurrent(session)) {
      const taken = queue.take(BATCH_CHANGES);
      if (taken.length === 0) break;
      sent += await this.#send(session, taken);
    }
    if (sent > 0) void connection.check(); // shows that the index is at work
  }

  /**
   * Reports the vault's files. The server sees to what is gone, and beside a folder to all that
   * differs; what a mirror lacks becomes changes, which bring it.
   */
  async #reconcile(session: Session): Promise<void> {
    const { files, queue } = this.#parts;
    const stamps = files.stamps();
    const spelled = new Map(stamps.map(([path]) => [path.normalize(), path]));
    const report = stamps.map(([path, ...rest]): FileStamp => [path.normalize(), ...rest]);
    const reply = await session.client.sync(report);
    if (!this.#isCurrent(session)) return;
    if (reply.guard) this.#parts.askAboutGone();
    if (session.vault.source === "mirror" && reply.need.length > 0) {
      const { url } = session.client.endpoint;
      if (!(await this.#parts.mayUpload(url, reply.need.length))) {
        this.#declined = session;
        return;
      }
      for (const path of reply.need) queue.modified(spelled.get(path) ?? path);
    }
    this.#reconciled = session;
  }

  /** Sends a batch. Returns how many changes were sent; those not acknowledged are put back. */
  async #send(session: Session, taken: readonly Change[]): Promise<number> {
    let rest = taken;
    try {
      while (rest.length > 0) {
        const { ready, used } = await this.#nextRequest(session, rest);
        if (ready.length > 0) await this.#post(session, ready);
        rest = rest.slice(used);
      }
    } catch (error) {
      this.#parts.queue.restore(rest);
      throw error;
    }
    return taken.length;
  }

  /** One change that the server refuses makes it refuse the batch: find it and go on without. */
  async #post(session: Session, changes: readonly Change[]): Promise<void> {
    try {
      await session.client.changes(changes);
    } catch (error) {
      if (![400, 413].includes(asServerError(error).status)) throw error;
      const [only] = changes;
      if (changes.length === 1 && only) {
        this.rejected.add(`${only.path}: ${asServerError(error).message}`);
        return;
      }
      const half = Math.ceil(changes.length / 2);
      await this.#post(session, changes.slice(0, half));
      await this.#post(session, changes.slice(half));
    }
  }

  /**
   * Adds times, and for a mirror contents, to as many changes as make one request. `used` counts
   * the changes dealt with, those included that have become pointless.
   */
  async #nextRequest(
    session: Session,
    changes: readonly Change[],
  ): Promise<{ ready: Change[]; used: number }> {
    const ready: Change[] = [];
    let used = 0;
    let chars = 0;
    for (const change of changes) {
      const content = await this.#content(session, change);
      const size = content?.length ?? 0;
      if (ready.length > 0 && chars + size > BATCH_CHARS) break;
      used += 1;
      chars += size;
      if (content !== null) ready.push(this.#withContent(change, content));
    }
    return { ready, used };
  }

  /** The content to send; undefined where none is wanted, null where the change is pointless. */
  async #content(session: Session, change: Change): Promise<string | undefined | null> {
    const isWritten = change.kind === "create" || change.kind === "modify";
    if (!isWritten || session.vault.source !== "mirror") return undefined;
    const content = await this.#parts.files.read(change.path);
    if (content === null || content.length <= LARGEST_NOTE_CHARS) return content;
    this.rejected.add(`${change.path}: The note is too large to send.`);
    return null;
  }

  #withContent(change: Change, content: string | undefined): Change {
    const { kind, path, old_path } = change;
    const mtime = this.#parts.files.stamp(path)?.[2];
    return { kind, path: path.normalize(), old_path: old_path?.normalize(), mtime, content };
  }
}
