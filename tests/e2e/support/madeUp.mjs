// A server that is made up of the answers that the contract's tests keep: for vaults larger than a
// test should index, and for what a real server says once in a blue moon.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./command.mjs";
import { refusing } from "./network.mjs";

const kept = (name) => JSON.parse(readFileSync(join(ROOT, "tests/contract", `${name}.json`), "utf8"));

export class MadeUpServer {
  isAway = false;
  status = kept("status");
  /** How many changes it was told of. */
  changes = 0;
  #search = kept("search");
  #similar = kept("similar");

  /** What an app needs to reach it. */
  get options() {
    return {
      device: { mode: "remote", address: "http://made.up:8765", tokenName: "home-server" },
      secrets: { "home-server": "made up" },
      trouble: (request) => this.#answer(request),
    };
  }

  #answer({ url, body }) {
    if (this.isAway) return refusing();
    const route = url.pathname.replace("/api/", "");
    const answers = {
      health: () => kept("health"),
      vaults: () => ({ vaults: kept("vaults").vaults.map((vault) => ({ ...vault, name: "Sample" })) }),
      status: () => this.status,
      search: () => ({ ...this.#search, query: url.searchParams.get("q"), mode: url.searchParams.get("mode") }),
      similar: () => this.#similar,
      sync: () => ({ need: [], gone: [], guard: false }),
      changes: () => this.#take(JSON.parse(body).changes.length),
      ledger: () => kept("ledger"),
    };
    const text = JSON.stringify(answers[route]());
    return { status: route === "changes" ? 202 : 200, headers: {}, text };
  }

  #take(changes) {
    this.changes += changes;
    return kept("changes");
  }
}
