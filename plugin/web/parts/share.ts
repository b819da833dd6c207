/** The address of what is seen, for another device that is signed in. */

import type { ViewContext } from "../app/viewContext";

export async function share(context: ViewContext): Promise<void> {
  const url = `${location.origin}/${context.to(context.address.view, { vault: context.vault?.name ?? null, ...context.address.query }, context.address.part)}`;
  try {
    await navigator.clipboard.writeText(url);
    context.say("Link copied");
  } catch {
    context.say(url); // clipboards are for secure origins; elsewhere the person copies it
  }
}
