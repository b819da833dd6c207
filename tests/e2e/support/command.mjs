// The sidecar under test.

import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../../..");
export const COMMAND = resolve(ROOT, process.env.RECOLLECT_TEST_COMMAND ?? ".venv/bin/recollect");
