/** Code in colours: a worker tells which parts are of which kind, and they become elements here. */

import { BoundedWorker } from "../../lib/boundedWorker";
import { h } from "../../lib/dom";
import type { CodeJob, CodeRuns } from "../../lib/codeMessages";

/** Set by the build: where the worker lies. */
declare const CODE_WORKER: string;

const DEADLINE_MS = 2_000;
const MOST_LENGTH = 30_000;
const MOST_BLOCKS = 100;
const MOST_RUNS = 10_000;

/** Colours the code in `root` whose language is known; the rest stays as it is. */
export async function colourCode(root: ParentNode): Promise<void> {
  const worker = new BoundedWorker<CodeJob, CodeRuns>(CODE_WORKER, DEADLINE_MS);
  try {
    for (const el of [...root.querySelectorAll<HTMLElement>("[data-code]")].slice(0, MOST_BLOCKS)) {
      const { code: language = "" } = el.dataset;
      delete el.dataset["code"];
      const holder = el.querySelector("code");
      const text = holder?.textContent ?? "";
      if (!holder || !text.trim() || text.length > MOST_LENGTH) continue;
      const runs = await worker.run({ text, language }).catch(() => [] as CodeRuns);
      if (runs.length > 0 && runs.length <= MOST_RUNS) holder.replaceChildren(...coloured(text, runs));
    }
  } finally {
    worker.stop();
  }
}

function coloured(text: string, runs: CodeRuns): (string | HTMLElement)[] {
  let at = 0;
  return runs.map(({ length, kind }) => {
    const part = text.slice(at, (at += length));
    return kind ? h("span", { class: `code-${kind}` }, part) : part;
  });
}
