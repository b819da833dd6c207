// A language model on loopback that says what a test tells it, as OpenAI's protocol has it.

import { once } from "node:events";
import { createServer } from "node:http";
import { after, before } from "node:test";

/** A model for the tests of a file. Each of `turns` answers one request: `{text, calls, status, wait, drop}`. */
export function useModel() {
  const model = { turns: [], asked: [], names: ["test-model", "other-model"] };
  let server = null;
  before(async () => {
    server = createServer((request, response) => void answer(model, request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    model.url = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });
  return model;
}

async function answer(model, request, response) {
  if (request.method === "GET") {
    response.end(JSON.stringify({ data: model.names.map((id) => ({ id })) }));
    return;
  }
  let body = "";
  for await (const piece of request) body += piece;
  model.asked.push(JSON.parse(body));
  const turn = model.turns.shift() ?? { status: 500 };
  if (turn.status) {
    response.writeHead(turn.status, turn.headers);
    response.end('{"error": {"message": "not now"}}');
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const piece of turn.text?.match(/.{1,9}/gsu) ?? []) say(response, { delta: { content: piece } });
  await turn.wait;
  if (turn.drop) {
    response.socket.end(); // what was said arrives, the end of it does not
    return;
  }
  (turn.calls ?? []).forEach(([name, given], index) => {
    const call = { index, id: `call_${index}`, function: { name, arguments: JSON.stringify(given) } };
    say(response, { delta: { tool_calls: [call] } });
  });
  say(response, { delta: {}, finish_reason: turn.calls ? "tool_calls" : "stop" });
  response.end("data: [DONE]\n\n");
}

function say(response, choice) {
  response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
}
