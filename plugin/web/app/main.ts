/** The start: asks who is there, signs in where that is needed, and shows the page. */

import { asServerError } from "../../src/client";
import { WebClient } from "./client";
import { Desk } from "./desk";
import { pageTransport } from "./transport";
import { fill, h } from "../lib/dom";
import { Voice } from "../parts/voice";
import { errorBox } from "../parts/errors";
import { showLogin } from "../parts/login";
import { Shell } from "./shell";
import { registerWorker } from "./worker";

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  const client = new WebClient(pageTransport("same-origin"), () => undefined, { url: location.origin, token: "" });
  try {
    const [health, vaults] = await Promise.all([client.health(), client.vaults()]);
    const voice = new Voice();
    const desk = new Desk(client, vaults, health.features, voice);
    new Shell(desk, root, health.version).start();
    root.append(...voice.els);
    void learnMore(desk);
  } catch (error) {
    const problem = asServerError(error);
    if (problem.kind === "unauthorized") showLogin(root);
    else fill(root, h("main", { class: "alone" }, errorBox(problem, () => void start())));
  }
}

/** What decides which controls are offered; the page works before it is known. */
async function learnMore(desk: Desk): Promise<void> {
  try {
    await Promise.all([learnParameters(desk), learnScope(desk)]);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } catch (error) {
    asServerError(error);
  }
}

/** Controls that this server does not know are not offered. */
async function learnParameters(desk: Desk): Promise<void> {
  const { paths } = await desk.client.openApi();
  const get = paths["/api/search"]?.["get"] as { parameters?: { name: string }[] } | undefined;
  desk.searchParameters = new Set(get?.parameters?.map(({ name }) => name));
}

async function learnScope(desk: Desk): Promise<void> {
  if (!desk.has("session")) return;
  const { scope } = await desk.client.session();
  desk.mayAdminister = scope === "admin";
  desk.mayWrite = scope !== "read";
}

registerWorker();
void start();
