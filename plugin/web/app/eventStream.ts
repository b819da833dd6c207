/** Follows server-sent events with fetch, because the browser's EventSource cannot send the page key. */

import { EventReader, type ServerEvent } from "../lib/sse";
import { pageKeyHeaders } from "./pageKey";

const PAUSE_MS = 3000; // before connecting again, as browsers do

/**
 * Calls `onEvent` for every event until `signal` aborts. Connects again where the connection ends, from the last
 * event on; a refusal by the server is final.
 */
export async function followEvents(
  url: string,
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => void,
  pauseMs = PAUSE_MS,
): Promise<void> {
  let last = "";
  while (!signal.aborted) {
    try {
      const answer = await fetch(url, { headers: headers(last), signal, cache: "no-store" });
      if (!answer.ok || !answer.body) return;
      const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      const reader = new EventReader();
      for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
        for (const event of reader.read(piece.value)) {
          last = event.id || last;
          onEvent(event);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      console.debug("The connection for events ended and is made again:", error);
    }
    await pause(pauseMs, signal);
  }
}

function headers(last: string): Record<string, string> {
  return { Accept: "text/event-stream", ...pageKeyHeaders(), ...(last && { "Last-Event-ID": last }) };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
