/**
 * Takes the notes that a server wrote to its copy of the vault, such as memories, into the vault.
 * A note that has changed here as well is left alone and reported: the server then keeps both
 * versions, its own as a second note.
 */

import type { ChangeQueue } from "./changes";
import type { Connection, Session } from "./connection";
import type { ConfirmedWrite, ServerWriteView } from "./contract";

/** Notes of the vault, by their paths as the app has them. */
export interface VaultNotes {
  /** The text of a note; null where there is none. */
  read(path: string): Promise<string | null>;
  /** Writes a new note, and the folders above it. */
  create(path: string, text: string): Promise<void>;
  /** Replaces the text of a note; false where it is not `old` any more. */
  replace(path: string, old: string, text: string): Promise<boolean>;
  /** Moves a note to the trash that the user chose. */
  remove(path: string): Promise<void>;
  /** The modification time in milliseconds; undefined where there is no note. */
  mtime(path: string): number | undefined;
}

export interface ServerNotesParts {
  readonly connection: Connection;
  readonly queue: ChangeQueue;
  readonly notes: VaultNotes;
  /** Asks whether `notes` notes of the server at `url` may be written to the vault. */
  readonly mayWrite: (url: string, notes: number) => Promise<boolean>;
  /** Called when a note has changed on both sides and is to be sent. */
  readonly conflict: () => void;
}

export class ServerNotes {
  readonly #parts: ServerNotesParts;
  #isRunning = false;
  #declined: Session | null = null;
  #stop: (() => void) | null = null;

  constructor(parts: ServerNotesParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#stop = this.#parts.connection.subscribe(() => void this.#wake());
  }

  end(): void {
    this.#stop?.();
    this.#stop = null;
  }

  async #wake(): Promise<void> {
    const { session, lastStatus } = this.#parts.connection;
    const waiting = lastStatus?.server_writes ?? 0;
    if (!session || waiting === 0 || this.#isRunning || session === this.#declined) return;
    if (session.vault.source !== "mirror") return;
    this.#isRunning = true;
    try {
      if (await this.#parts.mayWrite(session.client.endpoint.url, waiting)) await this.#takeAll(session);
      else this.#declined = session;
    } catch (error) {
      this.#parts.connection.report(error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #takeAll(session: Session): Promise<void> {
    let after = 0;
    let taken = 0;
    while (this.#stop && this.#parts.connection.session === session) {
      const { changes } = await session.client.serverWrites(after);
      const confirmed: ConfirmedWrite[] = [];
      for (const change of changes) {
        after = change.number;
        if (await this.#take(change)) confirmed.push(this.#confirmation(change));
        else if (isNotePath(change.path)) {
          this.#parts.queue.modified(change.path);
          this.#parts.conflict();
        }
      }
      if (confirmed.length > 0) await session.client.confirmWrites(confirmed);
      taken += confirmed.length;
      if (changes.length === 0) break;
    }
    if (taken > 0) void this.#parts.connection.check();
  }

  #confirmation({ path, hash }: ServerWriteView): ConfirmedWrite {
    return { path, hash, mtime: this.#parts.notes.mtime(path) ?? null };
  }

  /** Applies one change; false where the note is not the version that the server's is based on. */
  async #take({ path, content, hash, base_hash }: ServerWriteView): Promise<boolean> {
    const { notes } = this.#parts;
    if (!isNotePath(path)) return false;
    const present = await notes.read(path);
    const current = present === null ? null : await sha256(present);
    if (current === hash) return true;
    if (current !== base_hash) return false;
    if (content === null) {
      await notes.remove(path);
      return true;
    }
    if (present !== null) return notes.replace(path, present, content);
    await notes.create(path, content);
    return true;
  }
}

/** Whether a path names a note inside the vault that is not hidden: a server may not name any other. */
export function isNotePath(path: string): boolean {
  const parts = path.split("/");
  return /\.md$/i.test(path) && !/[\\:\0]/.test(path) && parts.every((part) => part !== "" && !part.startsWith("."));
}

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
