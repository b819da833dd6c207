/** The address of what is seen, for another device that is signed in. */

import type { Desk } from "../app/desk";

export async function share(desk: Desk): Promise<void> {
  const url = `${location.origin}/${desk.to(desk.address.view, { vault: desk.vault?.name ?? null, ...desk.address.query }, desk.address.part)}`;
  try {
    await navigator.clipboard.writeText(url);
    desk.say("Link copied");
  } catch {
    desk.say(url); // clipboards are for secure origins; elsewhere the person copies it
  }
}
