/** Where this vault's server is: started here, or at an address that a person entered. */

import type { Absence, Target } from "./connection";
import type { Settings } from "./settings";

/** The server at the address in the settings. */
export function remoteTarget(
  settings: Settings,
  secret: (name: string) => string | null,
  vaultName: string,
): Target | Absence {
  const { address, tokenName, remoteVault } = settings.device;
  const url = serverUrl(address);
  if (url === null) return { reason: "not-set-up", detail: "" };
  const token = (tokenName && secret(tokenName)) || "";
  return { endpoint: { url, token }, vault: { word: remoteVault || vaultName } };
}

/** `host:port` or a whole address, as one without a last slash; null where it makes no sense. */
export function serverUrl(written: string): string | null {
  const trimmed = written.trim().replace(/\/+$/, "");
  if (!trimmed) return null;
  try {
    const url = new URL(/^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
    return url.origin + url.pathname.replace(/\/+$/, "");
  } catch {
    return null;
  }
}
