/** The settings in words: what each key of the settings file means, and which ones most people look for. */

import { t } from "../../../src/texts";

type Words = Readonly<Record<string, string>>;

/** The first part of a key, as a heading. */
const sections = (): Words => ({
  "": t("The server’s computer"),
  vault: t("Which files are read"),
  chunking: t("How notes are divided"),
  model: t("Model"),
  search: t("Search"),
  server: t("Server"),
  limits: t("Limits of requests"),
  log: t("Logs"),
  memory: t("Memory"),
  ask: t("Answers"),
  gleanings: t("Saved links"),
  topics: t("Topics"),
  garden: t("Tend"),
  schedule: t("Timetable"),
  documents: t("Documents outside of vaults"),
  phone: t("Phones without a server"),
});

/** What most people look for; the rest is folded away. */
const common = (): Words => ({
  offline: t("Never use the internet"),
  "vault.types": t("Endings of files to read"),
  "vault.include": t("Only these files and folders"),
  "vault.exclude": t("Leave out these files and folders"),
  "vault.ocr": t("Read text in images and scans"),
  "vault.reconcile_at": t("Check the whole vault daily at"),
  "model.name": t("Model that finds by meaning"),
  "search.passages": t("Further passages below a result"),
  "search.snippet_chars": t("Characters of a shown passage"),
  "search.recency": t("Prefer new notes"),
  "search.daily_notes": t("Find daily notes"),
  "search.shelved_status": t("Notes with this status are put away"),
  "search.collapse": t("Leave out notes that are almost the same"),
  "search.rerank": t("A second model sorts the first results"),
  "server.host": t("Address it listens on"),
  "server.port": t("Port"),
  "server.public_url": t("Address for other devices"),
  "log.queries": t("Remember searches"),
  "memory.folder": t("Folder of memories"),
  "ask.provider": t("Who answers"),
  "ask.model": t("Language model"),
  "ask.general_knowledge": t("May use its own knowledge"),
  "ask.web": t("May read web pages"),
  "gleanings.headings": t("Headings above saved links"),
  "gleanings.daily_folders": t("Folders of daily notes"),
  "gleanings.folder": t("Folder of the notes made of links"),
  "gleanings.web": t("Fetch titles of linked pages"),
  "topics.folder": t("Folder of topics"),
  "garden.folder": t("Folder for plans"),
  "garden.ignore": t("Leave these notes alone"),
  "garden.checks": t("What is looked for"),
  "schedule.reconcile": t("Check the whole vault"),
  "schedule.extract": t("Make notes of saved links"),
  "schedule.maintain": t("Check saved links"),
  "schedule.sync": t("Fetch notes of other programs"),
  "schedule.plan": t("Plan suggestions"),
  "documents.allow": t("Folders that may be read"),
  "phone.index": t("Write the file for phones"),
  "phone.megabytes": t("Its size at most, in MB"),
});

const ofNotes = (): Words => ({
  data_dir: t("Folder of the indexes"),
  model_dir: t("Folder of the models"),
  state_dir: t("Folder of logs and devices"),
  index_dir: t("Folder of this index"),
  "vault.max_note_bytes": t("Largest note, in bytes"),
  "vault.max_document_bytes": t("Largest document, in bytes"),
  "vault.watch": t("How changes are noticed"),
  "chunking.method": t("Divided at"),
  "chunking.percentile": t("Change of subject that divides, in percent"),
  "chunking.max_tokens": t("Longest passage, in tokens"),
  "chunking.min_tokens": t("Shortest passage, in tokens"),
  "chunking.overlap_tokens": t("Shared by neighbours, in tokens"),
  "model.quantisation": t("Precision of the vectors"),
  "model.threads": t("Processor threads"),
  "model.folder": t("Folder with the model"),
  "model.provider": t("Where the model runs"),
  "model.base_url": t("Address of the service"),
  "model.dimensions": t("Length of the vectors"),
  "model.late_chunking": t("Read neighbouring passages together"),
  "model.query_prefix": t("Text before each query"),
  "model.passage_prefix": t("Text before each passage"),
  "model.consent": t("Services that notes may be sent to"),
});

const ofSearches = (): Words => ({
  "search.fusion": t("How words and meaning are combined"),
  "search.keyword_weight": t("Weight of words"),
  "search.min_score": t("Lowest score that is shown"),
  "search.name_boost": t("Bonus for a matching name"),
  "search.tag_boost": t("Bonus for a matching tag"),
  "search.graph_boost": t("Bonus for links from the best notes"),
  "search.centrality_boost": t("Bonus for much linked notes"),
  "search.recency_days": t("Days until the bonus of a new note halves"),
  "search.recency_date": t("Which date makes a note new"),
  "search.folder_boost": t("Bonus for the folder of other results"),
  "search.folder_weights": t("Weights of folders"),
  "search.field_preset": t("Weights of the parts of a note"),
  "search.field_weights": t("Weights of single parts of a note"),
  "search.expand": t("Add related words to short queries"),
  "search.reranker": t("Second model"),
  "search.rerank_folder": t("Folder of the second model"),
  "search.rerank_ms": t("Its time at most, in milliseconds"),
  "search.rerank_provider": t("Where the second model runs"),
  "search.rerank_url": t("Address of its service"),
  "search.gars.similarity": t("Spreading by links: weight of similarity"),
  "search.gars.centrality": t("Spreading by links: weight of linked notes"),
  "search.gars.activation": t("Spreading by links: weight of the spread"),
  "search.gars.decay": t("Spreading by links: loss at each step"),
  "search.gars.mode": t("Spreading by links: method"),
  "search.gars.direction": t("Spreading by links: direction"),
});

const ofServers = (): Words => ({
  "server.allowed_hosts": t("Names it answers to"),
  "server.allowed_origins": t("Web pages that may ask it"),
  "server.open_vaults": t("Vaults open at once"),
  "server.readers": t("Further processes that search"),
  "server.allow_vaults": t("Vaults may be added in the browser"),
  "server.read_only": t("Only reads indexes"),
  "server.trusted_proxies": t("Trusted proxies"),
  "server.tls_cert": t("Certificate"),
  "server.tls_key": t("Key of the certificate"),
  "limits.search": t("Searches in 10 seconds"),
  "limits.read": t("Other reading requests in 10 seconds"),
  "limits.heavy": t("Requests about a whole vault in 10 seconds"),
  "limits.write": t("Changes in 10 seconds"),
  "limits.guesses": t("Wrong keys in a minute"),
  "limits.routes": t("Limits of single addresses"),
  "limits.concurrent": t("Requests at the same time"),
  "limits.waiting": t("Requests that wait"),
  "limits.connections": t("Open connections"),
  "limits.query_timeout_s": t("Seconds for one answer"),
  "limits.body_timeout_s": t("Seconds until a request has arrived"),
  "log.format": t("Form of the logs"),
  "log.level": t("How much is logged"),
  "ask.base_url": t("Address of the service"),
  "ask.prefer": t("Which model is the best"),
  "ask.context_tokens": t("What the model takes in, in tokens"),
  "ask.budget_share": t("Share of it for notes"),
  "ask.answer_tokens": t("Longest answer, in tokens"),
  "ask.steps": t("Steps of an answer"),
  "ask.web_search_url": t("Address of a web search"),
  "ask.code_tool": t("May calculate with code"),
  "garden.model_tokens": t("Tokens of the language model for a plan"),
});

export function sectionTitle(section: string): string {
  return sections()[section] ?? section;
}

/** A setting in words, and whether most people look for it; one that is not known by its key. */
export function settingWords(key: string): { readonly name: string; readonly isCommon: boolean } {
  const name = common()[key];
  if (name) return { name, isCommon: true };
  const rare = { ...ofNotes(), ...ofSearches(), ...ofServers() }[key];
  return { name: rare ?? key, isCommon: false };
}
