// Assistants over HTTP: the scenarios of the MCP project's own conformance tests that fit any server. The others need the
// tools, prompts and resources of its reference server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { after, before, test } from "node:test";
import { makeWorkspace } from "./support/app.mjs";
import { startServer } from "./support/server.mjs";

const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];
const held = {};

before(async () => {
  held.workspace = await makeWorkspace();
  held.server = await startServer(held.workspace, [held.workspace.vault]);
  held.proxy = await startProxy(held.server);
});

after(async () => {
  held.proxy?.close();
  held.proxy?.closeAllConnections();
  await held.server?.end();
  await held.workspace?.remove();
});

/** Listens where the conformance tests ask, which send no token: adds it, and puts the server's port for its own. */
async function startProxy({ port, token }) {
  const proxy = createServer((asked, reply) => {
    const own = String(proxy.address().port);
    const { host, origin } = asked.headers;
    const headers = { ...asked.headers, authorization: `Bearer ${token}`, host: host.replace(own, port) };
    if (origin) headers.origin = origin.replace(own, port);
    const passed = request({ port, path: asked.url, method: asked.method, headers }, (answer) => {
      reply.writeHead(answer.statusCode, answer.headers);
      answer.pipe(reply);
    });
    passed.on("error", () => reply.destroy());
    asked.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

for (const scenario of SCENARIOS)
  test(`the scenario ${scenario}`, async () => {
    const url = `http://localhost:${held.proxy.address().port}/mcp`;
    const args = ["node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", url, "--scenario", scenario];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => printed.push(part));
    const [code] = await once(child, "close");
    assert.equal(code, 0, Buffer.concat(printed).toString("utf8").slice(0, 4000));
  });
