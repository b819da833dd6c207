/** The routes of what notes left open. */

import type { OpenEndsReply } from "../../src/contract";
import { HttpClient, LONG_MS } from "../../src/http";
import { list, number, object, oneOf, partOf, text } from "../../src/shape";

const end = object({ id: text, kind: oneOf("promised", "decided", "asked"), text, path: text, title: text, line: number });
const reply = partOf<OpenEndsReply>()({
  weeks: list(object({ start: text, ends: list(end) })),
  total: number,
  dismissed: number,
});

export class OpenEndsClient extends HttpClient {
  /** The first time all notes are read. */
  openEnds(): Promise<OpenEndsReply> {
    return this.get("open-ends", reply, {}, LONG_MS);
  }

  dismiss(id: string, dismissed: boolean): Promise<OpenEndsReply> {
    return this.post("open-ends/dismiss", reply, { id, dismissed });
  }
}
