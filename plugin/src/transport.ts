/** The app's own HTTP, which is not bound by the page's cross-origin rules. */

import { requestUrl } from "obsidian";
import type { Transport } from "./client";

export const appTransport: Transport = async (request) => {
  const answer = await requestUrl({ ...request, throw: false });
  return { status: answer.status, text: answer.text };
};
