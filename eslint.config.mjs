// The rules of the app's reviewers, and this project's own: floors, no import loops, sizes.

import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";

// Lowest first; a file may import from its own floor and from those below it. The last floor is
// imported by nobody.
const FLOORS = [
  ["shape.ts"],
  ["contract.ts"],
  ["client.ts"],
  ["transport.ts", "connection.ts", "changes.ts", "launcher.ts", "program.ts", "settings.ts"],
  ["courier.ts", "server.ts", "vaultEvents.ts"],
  ["ui"],
  ["main.ts"],
];

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
  globalIgnores(["main.js", "node_modules/", ".venv*/", "sidecar/", "plugin/web/", "tests/bench/"]),
  ...obsidianmd.configs.recommended,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["eslint.config.mjs", "esbuild.config.mjs"] },
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
      complexity: ["error", 12],
      "@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "obsidianmd/ui/sentence-case": [
        "error",
        { enforceCamelCaseLower: true, brands: ["Recollect", "Obsidian", "Markdown", "Python"] },
      ],
    },
  },
  {
    files: ["plugin/src/contract.ts", "plugin/src/shape.ts", "plugin/src/client.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { paths: [{ name: "obsidian", message: "This file also serves pages outside the app." }] },
      ],
    },
  },
  {
    files: ["*.mjs"],
    languageOptions: { globals: { console: "readonly" } },
    rules: {
      "obsidianmd/no-nodejs-modules": "off",
      "obsidianmd/hardcoded-config-path": "off", // a build has no app to ask
      "import/no-extraneous-dependencies": "off",
    },
  },
  {
    files: ["tests/**/*.ts", "vitest.config.ts"],
    rules: { "obsidianmd/no-nodejs-modules": "off", "import/no-extraneous-dependencies": "off" },
  },
]);
