// What Obsidian's automated review sees of this repository: its own rules, unrelaxed, without this
// project's. Errors keep a release out of the directory; docs/releases.md answers the warnings.

import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";

export default defineConfig([
  // The review leaves out tests, docs, scripts and *.mjs; the others hold no TypeScript.
  globalIgnores(["main.js", "dist/", "node_modules/", ".venv*/", "sidecar/", "release/", "docs/", "tests/", "**/*.mjs", "**/*.config.ts"]),
  ...obsidianmd.configs.recommended,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
]);
