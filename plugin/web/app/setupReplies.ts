/** Checks of the replies about what answers questions, models that embed, and vaults that are added. */

import type { AskSetupReply, CatalogueReply, VaultsReply } from "../../src/contract";
import { flag, list, mapping, nullable, number, object, oneOf, optional, partOf, text } from "../../src/shape";

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

/** Older servers do not say whether vaults may be changed, and then they may not. */
export const vaultsWithRights = partOf<VaultsReply>()({
  changeable: flag,
  vaults: list(object({ id: text, name: text, path: text, default: flag, open: flag, source: oneOf("folder", "mirror", "import", "roam", "logseq"), served: flag })),
});

export const models = partOf<CatalogueReply>()({
  configured: text,
  answering: nullable(text),
  models: list(
    object({
      name: text,
      dimensions: number,
      max_tokens: number,
      languages: list(text),
      licence: text,
      download_mb: number,
      configured: flag,
      present: flag,
      time: optional(nullable(number)),
      quality: optional(mapping(number)),
    }),
  ),
});
