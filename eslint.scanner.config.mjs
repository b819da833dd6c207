// What Obsidian's automated review sees of the web interface: its own rules, unrelaxed, without this project's.
// Errors keep a release out of the directory; docs/releases.md answers the warnings. The plugin itself and
// the manifest are held to these rules by eslint.config.mjs.

import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";

export default defineConfig([
  // The review leaves out tests, docs, scripts and *.mjs; the others hold no TypeScript.
  globalIgnores(["main.js", "dist/", "node_modules/", ".venv*/", "sidecar/", "release/", "docs/", "tests/", "**/*.mjs", "**/*.config.ts"]),
  ...obsidianmd.configs.recommended,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
]);
