/** The app's secrets. */

import type { SecretStorage as AppSecretStorage } from "obsidian";
import { environment } from "./environment";
import { Events } from "./mocks";

type Part = Pick<AppSecretStorage, "getSecret" | "setSecret" | "listSecrets">;

export class SecretStorage extends Events implements Part {
  readonly #secrets = new Map(Object.entries(environment.secrets));

  getSecret(id: string): string | null {
    return this.#secrets.get(id) ?? null;
  }

  setSecret(id: string, secret: string): void {
    this.#secrets.set(id, secret);
  }

  listSecrets(): string[] {
    return [...this.#secrets.keys()];
  }
}
