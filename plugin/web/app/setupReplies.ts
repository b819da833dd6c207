/** Checks of the replies about what answers questions, and about vaults that are added. */

import type { AskSetupReply } from "../../src/contract";
import { flag, list, nullable, object, oneOf, partOf, text } from "../../src/shape";

const service = oneOf("openai", "anthropic", "gemini", "mistral", "openrouter");

export const askSetup = partOf<AskSetupReply>()({
  service: nullable(service),
  host: nullable(text),
  local: flag,
  model: nullable(text),
  key: oneOf("environment", "keyring", "none"),
  keyring: flag,
  services: list(object({ name: service, title: text, host: text })),
});
