/** Checks of the replies that only Manage reads, but for those about memory and tending the vault. */

import type {
  AllowedHostReply,
  AskSetupReply,
  AuditReply,
  CatalogueReply,
  ConfigReply,
  DevicesReply,
  LogReply,
  PairCancelReply,
  PairReply,
  StatsReply,
  VaultsReply,
} from "../../src/contract";
import { anything, flag, list, mapping, nullable, number, object, oneOf, optional, partOf, text } from "../../src/shape";

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
  notice: nullable(text),
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

export const log = partOf<LogReply>()({
  enabled: flag,
  total: number,
  entries: list(
    object({
      query_id: text,
      at: nullable(text),
      door: text,
      query: text,
      mode: text,
      took_ms: number,
      results: list(object({ path: text, score: number })),
      opened: list(object({ path: text, rank: nullable(number), at: nullable(text) })),
    }),
  ),
  verdicts: list(object({ query: text, path: text, verdict: text, at: nullable(text) })),
});

const setting = object({
  key: text,
  value: anything,
  running: anything,
  default: anything,
  source: text,
  writable: flag,
  reason: nullable(text),
});
export const allowedHost = partOf<AllowedHostReply>()({ host: text, allowed: flag });

const settingType = object({ kind: oneOf("switch", "choice", "number", "text", "list", "table", "folder", "folders"), words: list(text) });
/** Older servers do not say what a setting takes. */
export const config = (value: unknown, at?: string): ConfigReply => known({ types: {}, confirmable: [], ...(value as object) }, at);
const known = partOf<ConfigReply>()({ file: nullable(text), restart: flag, settings: list(setting), types: mapping(settingType), confirmable: list(text) });

const count = object({ name: nullable(text), notes: number });
export const stats = partOf<StatsReply>()({
  notes: number,
  chunks: number,
  links: number,
  files: mapping(number),
  sizes: object({
    notes: number,
    median_note: number,
    index: number,
    largest: list(object({ path: text, bytes: number })),
  }),
  types: list(count),
  folders: list(count),
  tags: list(count),
  months: list(object({ month: text, created: number, modified: number })),
  models: list(object({ model: text, quantisation: text, vectors: number, answering: flag })),
});

export const pairCancel = partOf<PairCancelReply>()({ cancelled: number });

export const pair = partOf<PairReply>()({
  url: text,
  obsidian: text,
  expires: text,
  scope: oneOf("read", "write"),
  qr: text,
  loopback: flag,
});

const scope = oneOf("read", "write", "admin");
export const devices = partOf<DevicesReply>()({
  shared: flag,
  devices: list(object({ id: text, name: text, scope, kind: oneOf("token", "browser"), created: text, last_used: nullable(text), current: flag })),
});

export const audit = partOf<AuditReply>()({
  folder: nullable(text),
  entries: list(
    object({
      at: text,
      event: oneOf("signed_in", "changed", "refused"),
      what: text,
      by: nullable(text),
      scope: nullable(scope),
      address: text,
      status: nullable(number),
      code: nullable(text),
    }),
  ),
});
