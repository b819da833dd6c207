/** The line below the top bar that tells how far the index is, or what keeps it from going on, with what to do. */

import { asServerError } from "../../src/client";
import type { StatusReply } from "../../src/contract";
import { duration } from "../../src/format";
import { percent, progressText, shares } from "../../src/progress";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h, type Child } from "../lib/dom";
import { told } from "./errors";
import { t } from "../../src/texts";

/** What is told, at most one thing at a time: what needs a person comes first. */
type Matter = "guard" | "stuck" | "paused" | "working" | "words" | "none";

export class ProgressStrip {
  readonly el = h("div", { class: "progress-strip", role: "region", "aria-label": t("State of the index"), hidden: true });
  readonly #context: ViewContext;
  #matter: Matter = "none";

  constructor(context: ViewContext) {
    this.#context = context;
    context.status.subscribe((status) => this.#draw(status));
  }

  #draw(status: StatusReply): void {
    const matter = matterOf(status);
    this.el.hidden = matter === "none";
    this.el.dataset["matter"] = matter;
    fill(this.el, ...this.#children(matter, status));
    // Only what begins or ends is announced: numbers that run would drown everything else.
    if (matter !== this.#matter) this.#context.notices.announce(announced(this.#matter, matter, status));
    this.#matter = matter;
  }

  #children(matter: Matter, status: StatusReply): Child[] {
    const text = progressText(status);
    if (matter === "guard") {
      const { gone, total } = status.guard ?? { gone: 0, total: 0 };
      return [h("span", {}, t("{gone} of {total} notes are missing; they are kept until you decide.", { gone, total })), this.#link(t("Decide"), "")];
    }
    if (matter === "stuck") {
      const why = status.problem ?? t("No server works on it.");
      return [h("span", {}, `${text}. ${why}`), this.#act(t("Try again"), () => this.#context.vaultClient.queue("retry")), this.#link(t("Details"), "")];
    }
    if (matter === "paused") return [h("span", {}, `${text}. ${t("Search works with what is there.")}`), this.#act(t("Resume"), () => this.#context.vaultClient.queue("resume"))];
    if (matter === "words") return [h("span", { title: status.semantic_reason }, t("Notes are found by words only, not by meaning.")), this.#link(t("Models"), "models")];
    if (matter === "none") return [];
    return [readyBar(status), h("span", {}, readyText(status, this.#context.status.wordsLeft)), this.#act(t("Pause"), () => this.#context.vaultClient.queue("pause"))];
  }

  #link(label: string, part: string): HTMLElement {
    return h("a", { href: this.#context.to("manage", {}, part) }, label);
  }

  /** A button for those who may press it. */
  #act(label: string, ask: () => Promise<unknown>): HTMLElement | null {
    if (!this.#context.mayAdminister) return null;
    const act = async (): Promise<void> => {
      try {
        await ask();
      } catch (error) {
        this.#context.showNotice(told(asServerError(error)).advice);
      }
      await this.#context.status.refresh();
    };
    return button(label, act, { class: "quiet" });
  }
}

/** One bar of two tones: what is found by words, and within it what is found by meaning. */
export function readyBar(status: StatusReply): HTMLElement {
  const { words, meaning } = readyShares(status);
  const label = t("By words {words}, by meaning {meaning}", { words: percent(words), meaning: percent(meaning) });
  return h("span", { class: "ready-bar", role: "img", "aria-label": label, vars: { "--words-share": String(words), "--meaning-share": String(meaning) } });
}

/** "Words ready in 20 s · meaning in 2 min", or "· approximate meaning, exact in 2 min"; shares where the time is not known yet. `wordsLeft` is in seconds. */
export function readyText(status: StatusReply, wordsLeft: number | null): string {
  const { words, meaning } = readyShares(status);
  const left = status.progress.eta_s;
  const ofWords = words === 1 ? t("Words ready") : wordsLeft === null ? t("Words {share}", { share: percent(words) }) : t("Words ready in {time}", { time: duration(wordsLeft) });
  if (status.semantic === "unavailable") return ofWords;
  const time = left === null ? null : duration(Math.max(left, wordsLeft ?? 0));
  const ofMeaning = status.progress.passages_approximate > 0 ? approximateText(meaning, time) : meaningText(meaning, time);
  return `${ofWords} · ${ofMeaning}`;
}

function meaningText(ready: number, time: string | null): string {
  return time === null ? t("meaning {share}", { share: percent(ready) }) : t("meaning in {time}", { time });
}

function approximateText(exact: number, time: string | null): string {
  return time === null ? t("approximate meaning, {share} exact", { share: percent(exact) }) : t("approximate meaning, exact in {time}", { time });
}

function readyShares({ progress, semantic }: StatusReply): { words: number; meaning: number } {
  const { words, meaning } = shares(progress);
  return { words, meaning: semantic === "unavailable" ? 0 : meaning };
}

/** What the strip tells of a state. */
export function matterOf(status: StatusReply): Matter {
  const { progress, guard, semantic } = status;
  if (guard) return "guard";
  if (progress.phase === "stuck") return "stuck";
  if (progress.phase === "paused") return "paused";
  if (progress.phase !== "idle") return "working";
  return semantic === "unavailable" ? "words" : "none";
}

function announced(before: Matter, matter: Matter, status: StatusReply): string {
  if (matter === "working") return t("Notes are being read.");
  if (matter === "none") return before === "working" ? t("The index is complete.") : "";
  return progressText(status);
}
