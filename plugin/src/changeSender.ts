/**
 * Sends changes to the server, one batch at a time. A change is dropped only when the server has
 * acknowledged it, and at every connect the vault is compared with the server's manifest. One sender
 * serves one vault; replies that belong to an earlier session of the connection are ignored.
 */

import type { ChangeQueue } from "./changes";
import { asServerError } from "./client";
import type { Connection, Session } from "./connection";
import type { FileStamp } from "./client";
import type { Change } from "./contract";
import { Ring, Timer } from "./support";
import { t } from "./texts";

/** Read access to the vault: what the server is told about its files. */
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
  /** Called when so many notes are missing that the user should confirm their removal. */
  readonly askAboutMissing: () => void;
}

const BATCH_CHANGES = 200;
const BATCH_CHARS = 2_000_000; // at most 3 bytes each in UTF-8, under the server's 16 MiB
const LARGEST_NOTE_CHARS = 4_000_000;
const RETRY_AFTER_MS = 10_000;

export class ChangeSender {
  /** The latest changes that the server rejected, each with the reason. */
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

  /** The vault or the connection changed: schedules the next delivery, if there is anything to send. */
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
      else this.#timer.set(RETRY_AFTER_MS, () => this.wake());
    }
  }

  #isCurrent(session: Session): boolean {
    return this.#stop !== null && this.#parts.connection.session === session;
  }

  /** Sends the changes that are due. */
  async #deliver(session: Session): Promise<void> {
    const { queue, connection } = this.#parts;
    let sent = 0;
    while (this.#isCurrent(session)) {
      const taken = queue.take(BATCH_CHANGES);
      if (taken.length === 0) break;
      sent += await this.#send(session, taken);
    }
    if (sent > 0) void connection.check(); // so that the views show that indexing has begun
  }

  /**
   * Reports the vault's files. The server handles removed files itself and, where it reads the
   * vault's folder, changed ones too. Files that a mirror needs are queued as changes.
   */
  async #reconcile(session: Session): Promise<void> {
    const { files, queue } = this.#parts;
    const stamps = files.stamps();
    const localPaths = new Map(stamps.map(([path]) => [path.normalize(), path]));
    const report = stamps.map(([path, ...rest]): FileStamp => [path.normalize(), ...rest]);
    const reply = await session.client.sync(report);
    if (!this.#isCurrent(session)) return;
    if (reply.guard) this.#parts.askAboutMissing();
    if (session.vault.source === "mirror" && reply.need.length > 0) {
      const { url } = session.client.endpoint;
      if (!(await this.#parts.mayUpload(url, reply.need.length))) {
        this.#declined = session;
        return;
      }
      for (const path of reply.need) queue.modified(localPaths.get(path) ?? path);
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

  /** The server rejects a whole batch for one bad change: halves the batch to find and skip that change. */
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
   * Adds modification times, and contents for a mirror, to as many changes as fit into one request.
   * `used` counts the changes that were handled, including those that are obsolete by now.
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

  /** The content to send; undefined where none is needed, null where the change is obsolete. */
  async #content(session: Session, change: Change): Promise<string | undefined | null> {
    const isWritten = change.kind === "create" || change.kind === "modify";
    if (!isWritten || session.vault.source !== "mirror") return undefined;
    const content = await this.#parts.files.read(change.path);
    if (content === null || content.length <= LARGEST_NOTE_CHARS) return content;
    this.rejected.add(t("{path}: The note is too large to send.", { path: change.path }));
    return null;
  }

  #withContent(change: Change, content: string | undefined): Change {
    const { kind, path, old_path } = change;
    const mtime = this.#parts.files.stamp(path)?.[2];
    return { kind, path: path.normalize(), old_path: old_path?.normalize(), mtime, content };
  }
}
