import { defineConfig } from "vitest/config";

// What needs the computer's own values: in a context of its own, a clone that `structuredClone` makes
// is of another world's classes, and streams of text are missing.
const OWN_PROCESS = ["tests/plugin/localIndex.test.ts", "tests/plugin/texts.test.ts", "tests/web-ui/eventStream.test.ts"];
// Only a hang is to be found: on a busy machine a test of a moment may take many seconds.
const HANG_MS = 120_000;

export default defineConfig({
  resolve: { alias: { obsidian: "obsidian-test-mocks/obsidian" } },
  test: {
    environment: "happy-dom",
    setupFiles: ["obsidian-test-mocks/vitest-setup"],
    restoreMocks: true,
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: "contexts",
          // Each file has a context of its own in a thread that lives on: a process for each file took
          // three times the processor time, to read the same modules again.
          pool: "vmThreads",
          include: ["tests/plugin/**/*.test.ts", "tests/web-ui/**/*.test.ts"],
          exclude: OWN_PROCESS,
        },
      },
      { extends: true, test: { name: "processes", include: OWN_PROCESS } },
    ],
  },
});
