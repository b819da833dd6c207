/**
 * Signing in. A link only loads the page, which takes the secret out of the address and posts it: so whatever else
 * makes a browser load an address, as a picture on a foreign page does, uses up no link and counts as no guess.
 */

import { ServerError } from "../../src/client";
import { keepPageKey } from "./pageKey";
import { refusalIn } from "./transport";

/** What signs a browser in. With a name, which the browser's device gets, a code is that of a pairing link. */
export interface Secret {
  readonly how: "token" | "code";
  readonly value: string;
  readonly name?: string;
}
/** What did not sign in. */
export type Refusal = Secret["how"];

/** The secret in the address, if there is one; it is removed from there. */
export function takeSecret(): Secret | null {
  const address = new URL(location.href);
  const given = address.searchParams;
  const how = given.has("token") ? "token" : "code";
  const value = given.get(how);
  if (!value) return null;
  for (const name of ["token", "code", "name"]) given.delete(name);
  history.replaceState(history.state, "", address);
  return { how, value };
}

/**
 * Sends the secret to the server, which sets one half of the session as a cookie and redirects to an address with the
 * other. Gives what was refused; null where the browser is signed in. Throws a `ServerError` where nothing was decided.
 */
export async function signIn({ how, value, name }: Secret): Promise<Refusal | null> {
  await opened();
  const answer = await post(new URLSearchParams({ [how]: value, ...(name !== undefined && { name }) }));
  if (!answer.ok) throw await refusalIn(answer);
  const key = new URL(answer.url).searchParams.get("key");
  if (!key) return how;
  keepPageKey(key);
  return null;
}

/** Waits until somebody looks at the page: a browser may load one ahead of that. */
async function opened(): Promise<void> {
  if (!("prerendering" in document) || !document.prerendering) return;
  await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve, { once: true }));
}

async function post(body: URLSearchParams): Promise<Response> {
  try {
    return await fetch("/", { method: "POST", body, credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    throw new ServerError("unreachable", error instanceof Error ? error.message : String(error));
  }
}
