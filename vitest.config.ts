import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { obsidian: "obsidian-test-mocks/obsidian" } },
  test: {
    environment: "happy-dom",
    include: ["tests/plugin/**/*.test.ts", "tests/web-ui/**/*.test.ts"],
    setupFiles: ["obsidian-test-mocks/vitest-setup"],
    restoreMocks: true,
  },
});
