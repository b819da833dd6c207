/** Entry point of the web interface: connects to the server, signs in if necessary, and shows the page. */

import { asServerError } from "../../src/client";
import { WebClient } from "./client";
import { startLanguage } from "./language";
import { ViewContext } from "./viewContext";
import { signIn, takeSecret, type Refusal, type Secret } from "./signIn";
import { pageTransport } from "./transport";
import { fill, h } from "../lib/dom";
import { FIRST_VISIT_MS } from "../lib/keptAnswers";
import { applyLook } from "../lib/look";
import { pairingLink, type PairingLink } from "../lib/pairing";
import type * as login from "../parts/login";
import { Notices } from "../parts/notices";
import { errorBox } from "../parts/errors";
import { Shell } from "./shell";
import { workerAddress } from "../lib/workerAddress";
import { t } from "../../src/texts";

/** What has yet to sign this browser in, and what did not. */
let secret = takeSecret();
let refused: Refusal | null = null;

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  const client = new WebClient(pageTransport("same-origin"), () => undefined, { url: location.origin, token: "" });
  try {
    if (secret) refused = await signIn(secret);
    secret = null;
    const link = pairingLink(location.hash);
    if (link) return await offerPairing(root, client, link);
    const [health, vaults] = await Promise.all([client.health(), client.vaults()]);
    const notices = new Notices();
    const context = new ViewContext(client, vaults, health.features, notices);
    new Shell(context, root, health.version).start();
    root.append(...notices.els);
    if (refused) notices.show(`${(await loginPage()).refusals()[refused].what} ${t("You were signed in already.")}`);
    void loadCapabilities(context);
  } catch (error) {
    const problem = asServerError(error);
    if (problem.kind === "unauthorized") (await loginPage()).showLogin(root, enter, refused);
    else fill(root, h("main", { class: "alone" }, errorBox(problem, () => void start())));
  }
}

/** Loaded for those who need it: most are signed in. */
const loginPage = (): Promise<typeof login> => import("../parts/login");

/** Signs in with what was entered, and begins anew. */
function enter(given: Secret): void {
  secret = given;
  void start();
}

/** Shows the page of a pairing link, and from there reloads as soon as the address is another one. */
async function offerPairing(root: HTMLElement, client: WebClient, link: PairingLink): Promise<void> {
  const { showPairing } = await import("../parts/pairing");
  const session = await client.session().catch((error: unknown) => asServerError(error) && null);
  showPairing(root, link, session?.name ?? null, (given) => {
    history.replaceState(history.state, "", "/"); // the code leaves the address
    enter(given);
  });
}

/** A pairing link changes only the fragment of a page that is open already. */
function followPairingLinks(): void {
  window.addEventListener("hashchange", ({ oldURL, newURL }) => {
    const [before, now] = [oldURL, newURL].map((address) => pairingLink(new URL(address, location.href).hash) !== null);
    if (before || now) location.reload();
  });
}

/** Loads what decides which controls are offered; the page works without it. */
async function loadCapabilities(context: ViewContext): Promise<void> {
  try {
    await loadScope(context);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } catch (error) {
    asServerError(error);
  }
}

async function loadScope(context: ViewContext): Promise<void> {
  if (!context.has("session")) return;
  const { scope } = await context.client.session();
  context.mayAdminister = scope === "admin";
  context.mayWrite = scope !== "read";
}

/** The service worker keeps the page and the last replies for times without a server. */
function registerWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker
    .register(workerAddress("/sw.js"))
    .catch((error: unknown) => console.warn("The page works, but not without its server:", error));
}

/**
 * The first visit loads before there is a worker: its files are asked for again through the worker, which stores them,
 * so that even this visit can be repeated without the server. They come from the browser's cache; answers are kept as they come.
 */
function storeFirstFiles(): void {
  if (!("serviceWorker" in navigator) || navigator.serviceWorker.controller) return;
  const store = (): void => {
    const taken = performance.now();
    // What was under way when the worker took over did not pass through it, and is told of when it ends.
    const observer = new PerformanceObserver((list) => {
      const files = list.getEntries().filter(({ name, startTime }) => startTime < taken && name.startsWith(`${location.origin}/static/`));
      for (const { name } of files) void fetch(name).catch(() => undefined); // else another visit stores it
    });
    observer.observe({ type: "resource", buffered: true });
    setTimeout(() => observer.disconnect(), FIRST_VISIT_MS);
  };
  navigator.serviceWorker.addEventListener("controllerchange", store, { once: true });
}

followPairingLinks();
storeFirstFiles();
registerWorker();
applyLook();
void startLanguage().then(start);
