/** What the test process does for the page: files, HTTP without cross-origin rules, programs. */

export interface FileEntry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  /** The text of a note; null for other files. */
  readonly text: string | null;
}

export interface WebRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

export type WebAnswer =
  | { readonly status: number; readonly headers: Record<string, string>; readonly text: string }
  | { readonly error: string };

export interface Bridge {
  list(): Promise<FileEntry[]>;
  read(path: string): Promise<string>;
  /** Of any file of the vault, listed or not; null where there is none. */
  times(path: string): Promise<{ readonly mtime: number; readonly ctime: number; readonly size: number } | null>;
  /** The bytes of a file, in base 64. */
  readBytes(path: string): Promise<string>;
  write(path: string, text: string): Promise<FileEntry>;
  makeFolder(path: string): Promise<FileEntry>;
  remove(path: string): Promise<void>;
  move(from: string, to: string): Promise<void>;
  /** Of any file of the computer, as are the next three; each fails where there is no such file. */
  stat(path: string): Promise<{ readonly isFile: boolean; readonly size: number }>;
  realPath(path: string): Promise<string>;
  entries(folder: string): Promise<string[]>;
  readText(path: string): Promise<string>;
  request(request: WebRequest): Promise<WebAnswer>;
  /** Starts a program; what it says arrives as events of that number. */
  spawn(number: number, program: string, args: readonly string[]): Promise<void>;
  closeStdin(number: number): Promise<void>;
  kill(number: number): Promise<void>;
}

declare global {
  interface Window {
    bridgeCall(name: string, args: readonly unknown[]): Promise<unknown>;
  }
}

export const bridge = new Proxy({} as Bridge, {
  get: (_, name: string) => (...args: unknown[]) => window.bridgeCall(name, args),
});
