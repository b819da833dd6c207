// The sidecar under test.

import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../../..");
export const COMMAND = resolve(ROOT, process.env.NOTEWELL_TEST_COMMAND ?? ".venv/bin/notewell");
