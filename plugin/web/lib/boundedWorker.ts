/** Jobs for a worker that is ended when one takes too long: what a note holds must not keep the page busy. */

import { workerAddress } from "./workerAddress";
import { t } from "../../src/texts";

interface Answer<Reply> {
  readonly reply?: Reply;
  readonly failure?: string;
}

/** After so many jobs without an answer in time, the rest of a page is not tried. */
const MOST_LATE = 3;

export class BoundedWorker<Job, Reply> {
  readonly #address: string;
  readonly #deadlineMs: number;
  #worker: Worker | null = null;
  #late = 0;

  constructor(address: string, deadlineMs: number) {
    this.#address = address;
    this.#deadlineMs = deadlineMs;
  }

  /** The worker's reply to a job; one job at a time. Throws Error where it fails or takes too long. */
  async run(job: Job): Promise<Reply> {
    if (this.#late >= MOST_LATE) throw new Error(t("Others on this page took too long."));
    const worker = (this.#worker ??= new Worker(workerAddress(this.#address)));
    const { reply, failure } = await this.#answer(worker, job);
    if (reply === undefined) throw new Error(failure ?? t("It could not be drawn."));
    return reply;
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #answer(worker: Worker, job: Job): Promise<Answer<Reply>> {
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#late += 1;
        this.stop();
        resolve({ failure: t("It takes too long to draw.") });
      }, this.#deadlineMs);
      const settle = (answer: Answer<Reply>): void => {
        clearTimeout(late);
        resolve(answer);
      };
      worker.onmessage = ({ data }: MessageEvent<Answer<Reply>>) => settle(data);
      worker.onerror = (event) => {
        event.preventDefault();
        this.stop();
        settle({ failure: t("The program that draws it could not be loaded.") });
      };
      worker.postMessage(job);
    });
  }
}
