// The rules of the app's reviewers, and this project's own: floors, no import loops, sizes.

import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";
import { PlainTextParser } from "eslint-plugin-obsidianmd/dist/lib/plainTextParser.js";

// Lowest first; a file may import from its own floor and from those below it. The last floor is
// imported by nobody.
const FLOORS = [
  ["catalogueProblem.ts", "texts.ts"],
  ["citations.ts", "format.ts", "shape.ts", "support.ts", "words.ts"],
  ["contract.ts"],
  ["askReplies.ts", "askWords.ts", "replies.ts"],
  ["http.ts"],
  ["client.ts"],
  ["answer.ts", "connection.ts", "changes.ts", "discovery.ts", "identity.ts", "language.ts", "launcher.ts", "local", "machine.ts", "program.ts", "settings.ts"],
  ["finder.ts"],
  ["api.ts", "changeSender.ts", "server.ts", "serverNotes.ts", "obsidianApp.ts"],
  ["ui"],
  ["main.ts"],
];

const NODE_GLOBALS = ["Buffer", "console", "fetch", "process", "setTimeout", "URL"];
const REVIEW_RULES = Object.keys(obsidianmd.rules).map((name) => `obsidianmd/${name}`);

const typescriptParser = obsidianmd.configs.recommended
  .map((config) => config.languageOptions?.parser)
  .find((parser) => parser !== undefined);

const zones = FLOORS.flatMap((floor, level) => {
  const above = FLOORS.slice(level + 1).flat();
  if (above.length === 0) return [];
  return floor.map((name) => ({
    target: `./plugin/src/${name}`,
    from: above.map((higher) => `./plugin/src/${higher}`),
    message: "Floors are imported downwards only; see FLOORS in eslint.config.mjs.",
  }));
});

export default defineConfig([
  globalIgnores(["main.js", "dist/", "node_modules/", ".venv*/", "sidecar/", "tests/bench/"]),
  ...obsidianmd.configs.recommended,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
      },
    },
  },
  {
    files: ["plugin/src/**/*.ts"],
    settings: {
      "import/parsers": { "@typescript-eslint/parser": [".ts"] },
      "import/resolver": { node: { extensions: [".ts"] } },
    },
    rules: {
      "import/no-cycle": "error",
      "import/no-restricted-paths": ["error", { zones }],
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", 50],
      "no-restricted-syntax": [
        "error",
        {
          selector: "ImportExpression[source.value='node:child_process']",
          message: "Only launcher.ts starts programs.",
        },
      ],
      complexity: ["error", 12],
      "@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "obsidianmd/ui/sentence-case": [
        "error",
        { enforceCamelCaseLower: true, brands: ["Notewell", "Obsidian", "Markdown", "Python"] },
      ],
    },
  },
  {
    // Generated, so of any length; see `npm run contract`.
    files: ["plugin/src/contract.ts"],
    rules: { "max-lines": "off" },
  },
  {
    files: ["plugin/src/launcher.ts"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    files: ["plugin/src/main.ts"],
    rules: { "max-lines": ["error", 150] },
  },
  {
    files: ["client", "contract", "format", "replies", "shape", "support", "texts", "words"].map((name) => `plugin/src/${name}.ts`),
    rules: {
      "no-restricted-imports": [
        "error",
        { paths: [{ name: "obsidian", message: "This file also serves pages outside the app." }] },
      ],
    },
  },
  {
    // The web interface is a page of its own: the app's rules for plugins do not bind it.
    files: ["plugin/web/**/*.ts", "tests/web-ui/**/*.ts"],
    settings: {
      "import/parsers": { "@typescript-eslint/parser": [".ts"] },
      "import/resolver": { node: { extensions: [".ts"] } },
    },
    rules: {
      ...Object.fromEntries(REVIEW_RULES.map((name) => [name, "off"])),
      "import/no-extraneous-dependencies": "off",
      "import/no-nodejs-modules": "off",
      "import/no-cycle": "error",
      "no-restricted-globals": "off",
      "no-undef": "off",
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", 60],
      complexity: ["error", 12],
      "@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  {
    files: ["manifest.json"],
    plugins: { obsidianmd },
    languageOptions: {
      parser: typescriptParser,
      parserOptions: { projectService: false, extraFileExtensions: [".json"] },
    },
    rules: { "obsidianmd/validate-manifest": "error" },
  },
  {
    files: ["LICENSE"],
    plugins: { obsidianmd },
    languageOptions: { parser: PlainTextParser },
    rules: { "obsidianmd/validate-license": "error" },
  },
  {
    // What builds and drives the plugin runs in Node, outside the app and outside the reviewers' view.
    files: ["**/*.mjs"],
    languageOptions: {
      globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, "readonly"])),
      parserOptions: { projectService: false },
    },
  },
  {
    files: ["**/*.mjs", "tests/**/*.ts", "vitest.config.ts"],
    rules: {
      ...Object.fromEntries(REVIEW_RULES.map((name) => [name, "off"])),
      "no-restricted-globals": "off",
      "import/no-extraneous-dependencies": "off",
    },
  },
]);
