/** Reads the lines of a `notewell` code block. */

import type { SortOrder } from "./ranking";
import { t } from "../texts";

export interface BlockOptions {
  readonly query: string;
  /** Notes similar to the note that the block stands in. */
  readonly isSimilar: boolean;
  readonly limit: number;
  readonly sort: SortOrder;
  readonly view: "list" | "compact";
  readonly group: "none" | "folder";
}

interface Read {
  readonly options: BlockOptions;
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[];
}

const DEFAULTS: BlockOptions = { query: "", isSimilar: false, limit: 10, sort: "relevance", view: "list", group: "none" };
const MOST = 100;
/** The keys that take one of a few words. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  sort: ["relevance", "modified", "name"] satisfies SortOrder[],
  view: ["list", "compact"] satisfies BlockOptions["view"][],
  group: ["none", "folder"] satisfies BlockOptions["group"][],
};
const KEYS = ["query", "similar", "limit", "sort", "view", "group"];

export function readBlock(source: string): Read {
  let options = DEFAULTS;
  const problems: string[] = [];
  for (const line of source.split("\n").filter((one) => one.trim())) {
    const at = line.indexOf(":");
    const key = line.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = line.slice(at + 1).trim();
    const read = at < 0 ? null : valueOf(key, value);
    if (typeof read === "object" && read) options = { ...options, ...read };
    else problems.push(read ?? t("“{line}” has no key: write “query: …”.", { line: line.trim() }));
  }
  if (problems.length === 0 && !options.query && !options.isSimilar) problems.push(t("Write “query: …” or “similar: true”."));
  return { options, problems };
}

/** What a line sets, or what is wrong with it. */
function valueOf(key: string, value: string): Partial<BlockOptions> | string {
  switch (key) {
    case "query":
      return { query: value };
    case "similar":
      return value === "true" || value === "false" ? { isSimilar: value === "true" } : t("“similar” is true or false.");
    case "limit":
      return isLimit(value) ? { limit: Number(value) } : t("“limit” is a number from 1 to {most}.", { most: MOST });
    default: {
      const choices = CHOICES[key];
      if (!choices) return t("“{key}” is unknown here; known are {keys}.", { key, keys: KEYS.join(", ") });
      return choices.includes(value) ? { [key]: value } : t("“{key}” is one of {choices}.", { key, choices: choices.join(", ") });
    }
  }
}

function isLimit(value: string): boolean {
  return /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= MOST;
}
