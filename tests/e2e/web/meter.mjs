// A proxy between a browser and a server that counts what the browser receives, its workers included.

import { createServer, request } from "node:http";
import { once } from "node:events";

/** `{url, take, end}`; `take` gives `{bytes, asked}` since it was last called: heads and bodies as they travel. */
export async function startMeter() {
  let seen = { bytes: 0, asked: [] };
  const server = createServer((asked, reply) => {
    const { pathname } = new URL(asked.url);
    seen.asked.push(pathname);
    const onward = request(asked.url, { method: asked.method, headers: asked.headers }, (answer) => {
      seen.bytes += answer.rawHeaders.join("").length;
      answer.on("data", (chunk) => (seen.bytes += chunk.length));
      reply.writeHead(answer.statusCode, answer.headers);
      answer.pipe(reply);
    });
    onward.on("error", () => reply.destroy());
    reply.on("close", () => onward.destroy());
    asked.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const take = () => {
    const before = seen;
    seen = { bytes: 0, asked: [] };
    return before;
  };
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, take, end };
}
