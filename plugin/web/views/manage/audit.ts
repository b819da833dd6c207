/** The audit log: who signed in, what was changed, and what was refused. */

import type { AuditEntry, AuditReply } from "../../../src/contract";
import { administering } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { fill, h } from "../../lib/dom";
import { ago } from "../../lib/format";
import { details, about, Loader, nothing, table, type Panel } from "./panel";
import { t, tparts } from "../../../src/texts";

const SHOWN = 200;

/** What the requests do whose route begins so; the first that fits. */
const changes = (): readonly (readonly [route: string, does: string])[] => [
  ["PATCH /api/config", t("Changed a setting")],
  ["POST /api/vaults", t("Added a vault")],
  ["DELETE /api/vaults", t("Removed a vault")],
  ["POST /api/pair", t("Made or ended a link for a device")],
  ["DELETE /api/devices", t("Ended the access of a device")],
  ["POST /api/models/allow", t("Allowed or forbade sending notes to a service")],
  ["POST /api/note", t("Changed properties of notes")],
  ["POST /api/writes/undo", t("Undid a change of notes")],
  ["POST /api/memory", t("Changed the memory")],
  ["POST /api/garden", t("Tended the vault")],
  ["POST /api/gleanings", t("Tended the saved links")],
  ["POST /api/ask/s", t("Changed how questions are answered, or kept an answer")],
  ["POST /api/ask", t("Asked a question, or removed a conversation")],
  ["POST /api/log/clear", t("Deleted the log of searches")],
  ["POST /api/tune", t("Fitted the ranking to verdicts")],
  ["POST /api/verdict", t("Judged a result")],
  ["POST /api/phone-index", t("Switched the phone index on or off")],
  ["POST /api/runs", t("Stopped a run")],
  ["POST /api/changes", t("Sent changed notes")],
  ["POST /api/sync", t("Compared its notes with the server’s")],
  ["POST /api/queue", t("Paused, resumed or cleared the work that waits")],
  ["POST /api/reindex", t("Had notes read again")],
  ["POST /api/guard", t("Decided about missing notes")],
  ["POST /api/documents", t("Added documents")],
  ["DELETE /api/documents", t("Removed documents")],
  ["POST /api/sources", t("Added or synchronised a source")],
  ["DELETE /api/sources", t("Removed a source")],
  ["POST /mcp", t("A request of an assistant")],
];
const reasons = (): Readonly<Record<string, string>> => ({
  unauthorized: t("no valid token or session"),
  forbidden: t("not allowed for this device"),
  scope_required: t("not allowed for this device"),
  too_many_guesses: t("too many wrong tries"),
  unknown_host: t("the server does not know the name it was called by"),
  foreign_origin: t("a page of another site"),
  rate_limited: t("too many requests"),
  pairing_code_invalid: t("a pairing code that is not valid"),
});

export class AuditPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(about(t("Sign-ins, changes and refused requests, the newest first. It has no searches and no names of notes.")), this.#body);
  }

  show(): void {
    if (!this.#context.mayAdminister) {
      fill(this.#body, h("p", {}, t("Only an administrator sees the audit log.")));
      return;
    }
    void this.#loader.load(
      () => administering(this.#context).audit(SHOWN),
      (reply) => draw(reply),
    );
  }
}

function draw({ folder, entries }: AuditReply): Node[] {
  const place = folder === null ? [] : [details(h("p", { class: "faint" }, ...tparts("The files are on the server’s computer: {folder}", { folder: h("code", {}, `${folder}/audit*.log`) })))];
  if (entries.length === 0) return [nothing(t("Nothing yet"), t("The first sign-in, change or refused request will be listed here.")), ...place];
  const rows = entries.map((entry) => [ago(entry.at), whoOf(entry), h("span", { title: routeOf(entry) }, whatOf(entry)), entry.address || t("unknown")]);
  return [table(t("Audit log"), [t("When"), t("Who"), t("What"), t("From")], rows), ...place];
}

/** Our own words stand for the names that the server gives to its own computer and to strangers. */
function whoOf({ event, what, by }: AuditEntry): string {
  if (event === "signed_in") return what === "pairing" ? t("a new device") : t("a browser");
  if (by === null) return t("unknown");
  return by === "this computer" ? t("this computer") : by;
}

function whatOf({ event, what, status, code }: AuditEntry): string {
  if (event === "signed_in") return what === "pairing" ? t("Signed in by a pairing link") : t("Signed in by a link");
  if (event === "refused") return t("Refused: {why}", { why: reasons()[code ?? ""] ?? (code ?? "").replaceAll("_", " ") });
  const done = changes().find(([route]) => what.startsWith(route))?.[1] ?? what;
  return status !== null && status >= 400 ? t("Tried in vain: {what}", { what: done }) : done;
}

const routeOf = ({ what, status, code }: AuditEntry): string => [what, status ?? code].filter((part) => part !== null).join(" ");
