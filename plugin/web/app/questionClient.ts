/** The routes of questions that wait for an answer. */

import type { QuestionsReply } from "../../src/contract";
import { HttpClient, LONG_MS } from "../../src/http";
import { flag, list, number, object, partOf, text } from "../../src/shape";

const answer = object({ text, path: text, line: number, at: text, is_new: flag });
const reply = partOf<QuestionsReply>()({
  questions: list(object({ id: text, text, added: text, answers: list(answer) })),
  new: number,
});

export class QuestionClient extends HttpClient {
  questions(): Promise<QuestionsReply> {
    return this.get("questions", reply, {});
  }

  add(question: string): Promise<QuestionsReply> {
    return this.post("questions", reply, { text: question });
  }

  shown(id: string): Promise<QuestionsReply> {
    return this.post("questions/shown", reply, { id });
  }

  remove(id: string): Promise<QuestionsReply> {
    return this.call("DELETE", "questions", reply, LONG_MS, "", JSON.stringify({ id, vault: this.vault }));
  }
}
