// A vault's folder on this computer, for the page: paths are relative to it, `/`-separated.

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

export class Folder {
  /** Entries that are listed although they are not there: a large vault without its files. */
  madeUp = [];

  constructor(root) {
    this.root = root;
  }

  /** Everything in it but what the app hides; folders before what is in them. */
  async list() {
    const found = await readdir(this.root, { recursive: true, withFileTypes: true });
    const paths = found
      .map((entry) => relative(this.root, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => !path.split("/").some((name) => name.startsWith(".")))
      .sort();
    return [...(await Promise.all(paths.map((path) => this.#entry(path)))), ...this.madeUp];
  }

  read(path) {
    return readFile(join(this.root, path), "utf8");
  }

  async times(path) {
    const found = await stat(join(this.root, path)).catch(() => null);
    return found && { mtime: found.mtimeMs, ctime: found.birthtimeMs, size: found.size };
  }

  readBytes(path) {
    return readFile(join(this.root, path), "base64");
  }

  async write(path, text) {
    await mkdir(dirname(join(this.root, path)), { recursive: true });
    await writeFile(join(this.root, path), text);
    return this.#entry(path);
  }

  async makeFolder(path) {
    await mkdir(join(this.root, path), { recursive: true });
    return this.#entry(path);
  }

  remove(path) {
    return rm(join(this.root, path), { recursive: true });
  }

  async move(from, to) {
    await mkdir(dirname(join(this.root, to)), { recursive: true });
    await rename(join(this.root, from), join(this.root, to));
  }

  async #entry(path) {
    const { size, mtimeMs, birthtimeMs, ...found } = await stat(join(this.root, path));
    const isFolder = (found.mode & 0o170000) === 0o040000;
    const text = path.endsWith(".md") ? await this.read(path) : null;
    return { path, isFolder, size, mtime: mtimeMs, ctime: birthtimeMs, text };
  }
}
