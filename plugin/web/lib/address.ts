/** The state of the page in the fragment of the URL, which is not sent to the server: `#/search?q=…`. */

export const VIEWS = ["search", "ask", "graph", "manage"] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Address {
  readonly view: ViewName;
  /** The part after the view's name, as in `#/manage/ledger`. */
  readonly part: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Views of before, which are ways to look at the results of a search now. */
const MOVED: Readonly<Record<string, Readonly<Record<string, string>>>> = { explore: { why: "yes" }, pipeline: { why: "yes" }, past: { view: "timeline" } };

export function parseAddress(hash: string): Address {
  const [way = "", search = ""] = splitOnce(hash.replace(/^#?\/?/, ""), "?");
  const [name = "", part = ""] = splitOnce(way, "/");
  const view = VIEWS.find((known) => known === name) ?? "search";
  return { view, part, query: { ...Object.fromEntries(new URLSearchParams(search)), ...MOVED[name] } };
}

/** Formats an address; empty values are left out. */
export function formatAddress({ view, part, query }: Address): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) given.set(name, value);
  const search = given.toString().replaceAll("%2F", "/");
  return `#/${view}${part ? `/${part}` : ""}${search ? `?${search}` : ""}`;
}

function splitOnce(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}
