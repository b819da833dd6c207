/**
 * The generated types of the contract against the replies that the server's tests write to
 * tests/contract: the compiler takes each file as a value of its type, with no field too many.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const WRITTEN = join(import.meta.dirname, "..", "contract");
const SOURCE = join(import.meta.dirname, "..", "..", "plugin", "src").replaceAll("\\", "/");

/** Routes by the names of their files, where a name is not the route's own with - for /. */
const ROUTES: Readonly<Record<string, string>> = {
  "add-documents": "POST /api/documents",
  "add-source": "POST /api/sources",
  "ask-kept": "GET /api/ask/conversations",
  "add-question": "POST /api/questions",
  "cancel-run": "POST /api/runs/{id}/cancel",
  "complete-words": "GET /api/complete",
  "confirm-writes": "POST /api/changes/confirm",
  "config-changed": "PATCH /api/config",
  "edit-properties": "POST /api/note/properties",
  "edit-properties-batch": "POST /api/note/properties/batch",
  "garden-plan-made": "POST /api/garden/plans",
  "heal-conflict": "POST /api/conflict/heal",
  "ledger-excluded": "GET /api/ledger",
  documents: "GET /api/documents",
  "remove-documents": "DELETE /api/documents",
  "remove-source": "DELETE /api/sources",
  "note-passage": "GET /api/note",
  "phone-index": "GET /api/phone-index",
  "phone-index-on": "POST /api/phone-index",
  run: "GET /api/runs/{id}",
  "search-explained": "GET /api/search",
  "search-judged": "GET /api/search",
  "search-keyword": "GET /api/search",
  "search-nothing": "GET /api/search",
  "search-semantic": "GET /api/search",
  "server-writes": "GET /api/changes",
  "similar-text": "POST /api/similar",
  "edit-note": "POST /api/note/edit",
  around: "GET /api/note/around",
  "open-ends": "GET /api/open-ends",
  "dismiss-open-end": "POST /api/open-ends/dismiss",
  undo: "POST /api/writes/undo",
};
const SCORE_CASE =
  '{ search: string } & Pick<contract.SearchReply, "mode" | "fusion"> & Pick<contract.Result, "scores" | "score">';
const COMPILING_MS = 60_000; // on a busy machine
const PROBLEMS = /^problem|^ask-(models-off|use-unknown)$|^garden-model-off$|^gleanings-maintain-off$|-(nothing|fixed|unasked)$/;

function typeOf(name: string): string {
  if (name === "events") return 'readonly contract.Routes["GET /api/events"]["reply"][]';
  if (name === "score-cases") return `readonly (${SCORE_CASE})[]`;
  const route = ROUTES[name];
  if (!route && PROBLEMS.test(name)) return "contract.Problem";
  return route ? `contract.Routes["${route}"]["reply"]` : `ReplyOf<"/api/${name.replaceAll("-", "/")}">`;
}

it("the generated types allow exactly what the server sends", () => {
  const values = readdirSync(WRITTEN)
    .filter((file) => file.endsWith(".json") && !["queries.json", "conditions.json", "snippet-cases.json"].includes(file)) // cases, no replies
    .map((file, index) => {
      const name = file.slice(0, -".json".length);
      return `export const reply${index}: ${typeOf(name)} = ${readFileSync(join(WRITTEN, file), "utf8")};`;
    });
  expect(mistakesIn(values.join("\n"))).toEqual([]);
}, COMPILING_MS);

it("a reply with a field that the contract has not is a mistake", () => {
  const mistakes = mistakesIn('export const reply: ReplyOf<"/api/vaults"> = { vaults: [], more: 1 };');
  expect(mistakes).toEqual([expect.stringContaining("'more' does not exist")]);
}, COMPILING_MS);

it("a check that refuses a word, a null or a field of the contract is a mistake", () => {
  const imports = `import { list, nullable, number, object, oneOf, partOf, text } from "${SOURCE}/shape";`;
  const checks = (fields: string): string[] => mistakesIn(`${imports}\nexport const check = partOf<contract.RunView>()({ ${fields} });`);
  expect(checks('id: text, result: oneOf("running", "done", "cancelled", "failed"), errors: list(object({ path: nullable(text) }))')).toEqual([]);
  for (const wrong of ['result: oneOf("running", "done")', "started: text", "id: number", "errors: list(object({ path: text }))", "more: text"]) {
    expect(checks(`trigger: text, ${wrong}`), wrong).toEqual([expect.stringContaining("Expected 2 arguments")]);
  }
}, COMPILING_MS);

/** What the compiler says of some values. */
function mistakesIn(values: string): string[] {
  const name = join(WRITTEN, "replies.ts");
  const text = `
    import type * as contract from "${SOURCE}/contract";
    type ReplyOf<Path extends string> = contract.Routes[Extract<keyof contract.Routes, \`\${string} \${Path}\`>]["reply"];
    ${values}`;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    lib: ["lib.es2022.d.ts"],
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    getSourceFile: (file, ...more) =>
      file === name ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022) : disk.getSourceFile(file, ...more),
    fileExists: (file) => file === name || disk.fileExists(file),
  };
  const program = ts.createProgram([name], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}
