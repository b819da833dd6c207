/**
 * The contract with the server: parameters and replies of every route. Types only.
 *
 * Made by `npm run contract` from the records in sidecar/notewell/contract: change those and run
 * it again. CI refuses a file that is not up to date.
 */

/** The value of a note's property: any JSON. */
export type PropertyValue =
  | string
  | number
  | boolean
  | readonly PropertyValue[]
  | { readonly [name: string]: PropertyValue }
  | null;

export type VaultSource = "folder" | "mirror" | "import" | "roam" | "logseq";
export type EngineState = "starting" | "indexing" | "ready" | "degraded";
export type Semantic = "ready" | "partial" | "unavailable";
export type LedgerState = "indexed" | "pending" | "failed" | "excluded" | "keyword_only";
export type Phase = "reading" | "embedding" | "idle" | "paused" | "stuck";
export type RunKind =
  | "index"
  | "reconcile"
  | "extract"
  | "maintain"
  | "plan"
  | "sync"
  | "phone"
  | "table";
export type SearchMode = "hybrid" | "keyword" | "semantic";
export type FusionMethod = "auto" | "rrf" | "weighted" | "blend" | "convex" | "gars";
export type Grouping = "note" | "block";
export type Direction = "out" | "in" | "both";
export type Match = "strong" | "related" | "weak";
export type LinkKind = "wikilink" | "markdown";
export type PropertyScalar = boolean | number | string | null;
export type PropertyInput =
  | boolean
  | number
  | string
  | null
  | readonly PropertyScalar[]
  | Readonly<Record<string, PropertyScalar>>;
export type How = "replace" | "append" | "insert";
export type WalkMode = "simple" | "ontology";
export type HubOrder = "links" | "pagerank";
export type DatedBy = "auto" | "created" | "modified";
export type Granularity = "auto" | "day" | "week" | "month";
export type DateSource = "daily" | "created" | "name" | "modified" | "file";
export type SearchLayer =
  | "excluded"
  | "not_read"
  | "filter"
  | "verdict"
  | "corrected"
  | "hidden"
  | "duplicate"
  | "no_candidate"
  | "weak"
  | "ranked_low";
export type MendAction = "reindex" | "settings" | "query" | "weak" | "everything" | "log";
export type Kind = "promised" | "decided" | "asked";
export type CompletionKind =
  | "filter"
  | "tag"
  | "folder"
  | "path"
  | "property"
  | "value"
  | "title"
  | "alias";
export type Verdict = "this_was_it" | "never_for_this";
export type TuneOutcome = "too_few" | "no_sure_gain" | "better" | "applied" | "reset";
export type MemoryType =
  | "preference"
  | "decision"
  | "pattern"
  | "session"
  | "file_context"
  | "fact"
  | "golden_rule";
export type RelationKind = "supersedes" | "contradicts" | "caused_by" | "relates_to";
export type ValidationKind = "stored" | "granted" | "applied" | "helped" | "failed" | "other";
export type MemoryOrder = "created" | "accessed" | "confidence" | "importance";
export type GleaningStatus = "active" | "inactive" | "hidden";
export type GardenCheck =
  | "broken_links"
  | "unlinked_mentions"
  | "near_duplicates"
  | "conflict_copy"
  | "disagreements"
  | "similar_topics"
  | "missing_topics"
  | "missing_tags"
  | "tag_variants"
  | "orphans"
  | "untitled"
  | "missing_properties"
  | "update_topics"
  | "missing_descriptions"
  | "merge_topics"
  | "archive_topic";
export type SuggestionState = "open" | "applied" | "rejected" | "refused";
export type PartKind = "both" | "note" | "copy" | "differs";
export type KeptVersion = "note" | "copy" | "both";
export type AskEventKind =
  | "notice"
  | "found"
  | "step"
  | "permission"
  | "text"
  | "answer"
  | "error";
export type AskEventData =
  | AskNotice
  | AskFound
  | AskStep
  | AskPermission
  | AskText
  | AskReply
  | AskFailed;
export type LocalServer = "ollama" | "lm-studio" | "llama.cpp";
export type ChatService = "openai" | "anthropic" | "gemini" | "mistral" | "openrouter";
export type KeyPlace = "environment" | "keyring" | "none";
export type ChangeKind = "create" | "modify" | "delete" | "rename";
export type Trigger = "schedule" | "manual" | "watch" | "client";
export type RunResult = "running" | "done" | "cancelled" | "failed";
export type Detail = "full" | "passages" | "headings";
export type SourceKind = "import" | "roam" | "logseq";
export type SourceStatus = "new" | "ready" | "incomplete" | "held" | "failed";
export type DeviceScope = "read" | "write" | "admin";
export type SettingValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string | number | boolean>>
  | null;
export type SettingSource = "default" | "user" | "vault" | "environment" | "flag";
export type NewScalar = boolean | number | string;
export type NewValue =
  | boolean
  | number
  | string
  | readonly string[]
  | Readonly<Record<string, NewScalar>>
  | null;

export interface OfVault {
  /** Id or name of a vault; may be left out where one is served. */
  readonly vault?: string;
}

/** An RFC 9457 problem document. `nearest`: for a stale id, that of the passage it meant. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly nearest?: string;
}

/** That a server runs, and the version of its contract; reveals nothing about a vault. */
export interface HealthReply {
  readonly status: "ok";
  readonly version: string;
  readonly api: number;
  readonly features: readonly string[];
  readonly auth: "token";
}

/** All known vaults. `notice` says what happened to their list where it was damaged. */
export interface VaultsReply {
  readonly vaults: readonly VaultView[];
  readonly changeable: boolean;
  readonly notice: string | null;
}

/** A known vault. */
export interface VaultView {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly default: boolean;
  readonly open: boolean;
  readonly source: VaultSource;
  readonly served: boolean;
  readonly past: boolean;
}

/**
 * `POST /api/vaults`: Make a folder of the server's computer a vault (serve --allow-vaults, on loopback)
 */
export interface AddVault {
  /** The folder's whole path */
  readonly folder: string;
}

/**
 * `DELETE /api/vaults`: Forget a vault; its notes and its index stay (serve --allow-vaults, on loopback)
 */
export interface RemoveVault {
  /** The vault's id */
  readonly id: string;
}

/**
 * The state of a vault's index. `problem` says why it cannot follow the changes of its folder.
 *
 * `model` is the one that answers; `next_model` is being prepared and answers when it covers as
 * much. `embedder` is set while a model does not run as configured. `server_writes` counts notes
 * that Notewell wrote to a mirror and no client has taken yet (`GET /api/changes`). `next_run` is
 * what the schedule has next. `former_titles` counts renamed notes whose passages are still
 * embedded with a former title, which a full reindex (`POST /api/reindex`) changes; absent: none.
 * `backup` is the last backup of all vaults; absent: there was none.
 */
export interface StatusReply {
  readonly vault: string;
  readonly notes: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly model: string | null;
  readonly generation: number;
  readonly state: EngineState;
  readonly semantic: Semantic;
  readonly semantic_reason: string | null;
  readonly queue: QueueStatus;
  readonly ledger: Readonly<Partial<Record<LedgerState, number>>>;
  readonly guard: Guard | null;
  readonly problem: string | null;
  readonly work: WorkDone;
  readonly next_model: string | null;
  readonly embedder: EmbedderStatus | null;
  readonly progress: IndexProgress;
  readonly server_writes: number;
  readonly next_run: NextRun | null;
  readonly former_titles?: number;
  readonly backup?: BackupState;
}

/** Work that is left: notes to be read and passages to be embedded, together. */
export interface QueueStatus {
  readonly pending: number;
  readonly current: string | null;
  readonly done: number;
  readonly failed: number;
  readonly paused: boolean;
  readonly eta_s: number | null;
}

/** A mass disappearance of notes that waits for a person's decision. */
export interface Guard {
  readonly gone: number;
  readonly total: number;
  readonly since: string;
}

/** Work for a vault since it was opened; `embedded` counts texts sent to the model. */
export interface WorkDone {
  readonly read: number;
  readonly embedded: number;
  readonly reused: number;
  readonly removed: number;
}

/** A model after a failure: the simpler way in which it runs, why, and since when. */
export interface EmbedderStatus {
  readonly step: "full" | "fewer_threads" | "single_fp32" | "keyword_only";
  readonly reason: string;
  readonly since: string;
}

/**
 * Progress of an index: notes of all that can be searched by words, passages of all by meaning.
 *
 * `stuck`: work is left and nothing does it, because of a problem or because no writer runs.
 * `eta_s` is the time until all is done, where it is known. `passages_approximate` are found by
 * approximate meaning until they are embedded. The passages of notes that are not read yet are in
 * no count.
 */
export interface IndexProgress {
  readonly phase: Phase;
  readonly notes_read: number;
  readonly notes: number;
  readonly passages_embedded: number;
  readonly passages: number;
  readonly eta_s: number | null;
  readonly passages_approximate: number;
}

/** A run that the schedule has next, while a server runs. */
export interface NextRun {
  readonly what: RunKind;
  readonly at: string | null;
}

/**
 * When a backup was last `written`, and when one was last `verified`, which means tried.
 *
 * `problem` is why that one could not be restored.
 */
export interface BackupState {
  readonly written: string | null;
  readonly verified: string | null;
  readonly problem: string | null;
}

/** `GET /api/search`: Notes found by meaning and by keyword, ranked together */
export interface SearchRequest extends OfVault {
  /** The query: words, "exact phrases", -exclusions and filters */
  readonly q: string;
  /** Maximum number of results */
  readonly limit?: number;
  /** Search by keyword, by meaning, or by both ranked together */
  readonly mode?: SearchMode;
  /** Read the query as plain text, without operators */
  readonly plain?: boolean;
  /** How the two rankings are combined */
  readonly fusion?: FusionMethod;
  /** Weight of meaning */
  readonly alpha?: number;
  /** Leave out results with a lower score */
  readonly min_score?: number;
  /** Search shelved and daily notes too */
  readonly everything?: boolean;
  /** Search within these notes and folders; may be given several times */
  readonly paths?: readonly string[];
  /** Keep weak matches */
  readonly weak?: boolean;
  /** How much a note of today is boosted */
  readonly recency?: number;
  /** How much links from the best results count */
  readonly graph?: number;
  /** Leave out near-duplicates of better results */
  readonly collapse?: boolean;
  /** Also search for words related to a short query; llm: for other wordings */
  readonly expand?: boolean | "llm";
  /** Reorder the first results with a reranking model */
  readonly rerank?: boolean;
  /** Ranking signals to ignore, separated by commas */
  readonly ignore?: string;
  /** A result is a note, or each matching list item and paragraph of one */
  readonly group?: Grouping;
  /** Most further passages and list items of a result; 0 saves time */
  readonly passages?: number;
  /** The last word may be unfinished */
  readonly typing?: boolean;
  /** Search the notes of that day, in the vault's git history: 2025-03-01 */
  readonly as_of?: string;
  /** Search what is no longer in the notes too */
  readonly ever?: boolean;
  /** Report what each stage of the search did */
  readonly explain?: boolean;
  /** Client that searches, for the log: plugin, web …; none: unlogged */
  readonly door?: string;
}

/**
 * The answer to a search or a similar-notes request.
 *
 * `corrected` is the query without its spelling mistakes, if words of it were corrected.
 * `approximate`: meaning was computed without the model, from its table of words, as it is while a
 * query is typed. `query_id` is the id of a logged search, for reporting which result was opened.
 */
export interface SearchReply {
  readonly query: string;
  readonly vault: string;
  readonly mode: SearchMode;
  readonly fusion: Fusion;
  readonly expanded: readonly string[];
  readonly corrected: Corrected | null;
  readonly filtered: Readonly<Record<string, number>>;
  readonly generation: number;
  readonly took_ms: number;
  readonly total: number;
  readonly confidence: number | null;
  readonly results: readonly Result[];
  readonly warnings: readonly string[];
  readonly approximate: boolean;
  readonly explain?: Explain;
  readonly query_id?: string;
}

/** The combination of the rankings, with every number a client needs to repeat it. */
export interface Fusion {
  readonly method: string;
  readonly params: Readonly<Record<string, number | string | null>>;
}

/** The corrected text of the whole query, and the words that were misspelt in it. */
export interface Corrected {
  readonly text: string;
  readonly from: readonly string[];
}

/**
 * A note that was found: its best passage in its own fields, the others in `passages`.
 *
 * Of similar notes: `linked` says how the source is linked with it already (`out`: it links
 * there), `duplicates` are notes with nearly the same text, which it represents.
 *
 * `match` says how relevant the note is by itself, not compared with the best result; null if the
 * query has only conditions.
 *
 * Grouped by block, a result is one list item or paragraph: `score` is its own, `scores`, `raw`
 * and `match` are its note's, `parent` names all items around it, `children` counts those in it.
 *
 * `embedded_in` are paths of notes that embed a file which is not a note itself, such as a PDF.
 *
 * `vault` is the one it is in, if several were searched.
 *
 * Of a source that can be asked (Roam), `current` says whether the text is that of the source now;
 * if it is not known, `as_of` is the time of the last sync. Of a search of the past, `as_of` is
 * the day, and `current` is false for text that is gone. Else both are null.
 *
 * `mtime` is the time of the file itself, `modified` may be a property; `id`, `hash`, `lines` and
 * `copy` are those of the best passage. `copies` are the conflict copies that a synchroniser left
 * beside the note.
 */
export interface Result {
  readonly path: string;
  readonly title: string;
  readonly description: string | null;
  readonly heading: string | null;
  readonly block: string | null;
  readonly parent: string | null;
  readonly line: number;
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly score: number;
  readonly scores: Scores;
  readonly raw: RawScores;
  readonly passages: readonly Passage[];
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, PropertyValue>>;
  readonly created: string | null;
  readonly modified: string | null;
  readonly uri: string;
  readonly reasons: readonly Reason[];
  readonly linked: Direction | null;
  readonly duplicates: readonly string[];
  readonly match: Match | null;
  readonly children: number | null;
  readonly page: number | null;
  readonly node: string | null;
  readonly seconds: number | null;
  readonly embedded_in: readonly string[];
  readonly id: string | null;
  readonly hash: string | null;
  readonly lines: readonly [number, number] | null;
  readonly mtime: string | null;
  readonly vault: string | null;
  readonly current: boolean | null;
  readonly as_of: string | null;
  readonly copy: string | null;
  readonly copies: readonly string[];
}

/**
 * Parts of a result's score, null if not computed; multipliers are 1 if they had no effect.
 *
 * `words`, `meaning`, `coverage`, `names` and `links` are the addends of a score that is a sum. Of
 * the method `gars`, `links` is `centrality` and `activation` (0..1), each by its weight.
 */
export interface Scores {
  readonly keyword: number | null;
  readonly semantic: number | null;
  readonly fused: number | null;
  readonly tag: number | null;
  readonly recency: number | null;
  readonly graph: number | null;
  readonly rerank: number | null;
  readonly words: number | null;
  readonly meaning: number | null;
  readonly coverage: number | null;
  readonly names: number | null;
  readonly links: number | null;
  readonly centrality: number | null;
  readonly activation: number | null;
}

/**
 * Scores before they are normalised: BM25 of the keywords, cosine of the vectors.
 *
 * `cosine` is that of the best passage, `mean_cosine` the mean of the note's passages; of sums.
 */
export interface RawScores {
  readonly bm25: number | null;
  readonly cosine: number | null;
  readonly mean_cosine: number | null;
}

/**
 * A passage of a note that matched; `highlights` are UTF-16 offsets into `snippet`.
 *
 * `children`: of a list item that was found by itself, how many items are directly in it. `page`
 * is the number of a page from 1, `node` the id of a node of a canvas, `seconds` the place in a
 * recording, where the file has them.
 *
 * `id` (`path#n`) is the address of the passage until the note changes, `hash` that of its text
 * with its title, which outlives changes elsewhere in the note; `lines` are its first and last.
 *
 * `copy` is the conflict copy of the note in which the passage stands, and which alone has it.
 */
export interface Passage {
  readonly heading: string | null;
  readonly block: string | null;
  readonly parent: string | null;
  readonly line: number;
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly score: number;
  readonly children: number | null;
  readonly page: number | null;
  readonly node: string | null;
  readonly seconds: number | null;
  readonly id: string | null;
  readonly hash: string | null;
  readonly lines: readonly [number, number] | null;
  readonly copy: string | null;
}

/**
 * Why a note was found; text for people.
 *
 * What it has in common with another or embeds, where a `phrase` stands that is not shown, or the
 * user's `synonym` that it has in the place of a word of the query.
 */
export interface Reason {
  readonly kind: "passage" | "duplicate" | "links" | "tags" | "embeds" | "phrase" | "synonym";
  readonly text: string;
}

/** Every stage of a search, and the parts of each result's score. */
export interface Explain {
  readonly query: Readonly<Record<string, PropertyValue>>;
  readonly stages: readonly StageTrace[];
  readonly results: readonly Contribution[];
}

/**
 * One stage of the pipeline.
 *
 * `top` are the first paths after it, `moved` their changes in rank since the last stage that
 * had results.
 */
export interface StageTrace {
  readonly name: string;
  readonly ms: number;
  readonly count_in: number;
  readonly count_out: number;
  readonly removed: readonly Removed[];
  readonly top: readonly string[];
  readonly moved: readonly Moved[];
}

/** Notes that a stage removed, and why; `paths` are some of them. */
export interface Removed {
  readonly reason: string;
  readonly count: number;
  readonly paths: readonly string[];
}

/** A note's rank before and after a stage, from 1; null where it is not among the first. */
export interface Moved {
  readonly path: string;
  readonly before: number | null;
  readonly after: number | null;
}

/**
 * The parts of a result's score. `ranks`: by keyword, by meaning and after each step, from 1.
 *
 * score = (adds.keyword + adds.semantic) * every multiplier in `times`, at most 1, unless a
 * reranker changed the order. `words` are the BM25 scores of the query's tokens for the best
 * passage. `fields`: the share of the query's content words, by idf, that each field of the note
 * says (`title`, `aliases`, `headings`, `tags`, `properties`, `body` and so on). `stages`: the
 * score after each stage, not yet relative to the best note.
 */
export interface Contribution {
  readonly path: string;
  readonly score: number;
  readonly ranks: Readonly<Record<string, number | null>>;
  readonly adds: Readonly<Record<string, number>>;
  readonly times: Readonly<Record<string, number>>;
  readonly words: Readonly<Record<string, number>>;
  readonly fields: Readonly<Record<string, number>>;
  readonly stages: Readonly<Record<string, number>>;
}

/** `GET /api/similar`: Notes similar to a note */
export interface SimilarRequest extends OfVault {
  /** Vault-relative path */
  readonly path: string;
  /** Find notes similar to the text under this heading */
  readonly heading?: string;
  /** Find notes similar to the passage on this line */
  readonly line?: number;
  /** Maximum number of results */
  readonly limit?: number;
  /** Leave out notes that are already linked with the note */
  readonly unlinked?: boolean;
  /** How much closeness by links counts, compared with similarity */
  readonly links?: number;
  /** Follow outgoing links, incoming links, or both */
  readonly direction?: Direction;
  /** How much each further hop counts, compared with the hop before */
  readonly decay?: number;
  /** Keep notes that are hardly similar */
  readonly weak?: boolean;
  /** Report what each stage of the search did */
  readonly explain?: boolean;
}

/** `POST /api/similar`: Notes similar to a text */
export interface SimilarTextRequest extends OfVault {
  /** Find notes similar to this text */
  readonly text: string;
  /** Maximum number of results */
  readonly limit?: number;
  /** Keep notes that are hardly similar */
  readonly weak?: boolean;
  /** Report what each stage of the search did */
  readonly explain?: boolean;
}

/** `GET /api/note/around`: Notes that belong to a paragraph of a note */
export interface AroundRequest extends OfVault {
  /** The note; one that is not indexed yet needs a `text` */
  readonly path?: string;
  /** The line of the paragraph */
  readonly line?: number;
  /** The paragraph as it is in the editor, in place of the indexed one */
  readonly text?: string;
  /** Maximum number of results */
  readonly limit?: number;
}

/**
 * The notes that a paragraph could link, best first, without those that its note links.
 *
 * `text` is the paragraph that they belong to, `line` the line of the note on which it begins, if
 * it was read there. `linked` of a result is `in` where it links to the note.
 */
export interface AroundReply {
  readonly vault: string;
  readonly path: string;
  readonly line: number | null;
  readonly text: string;
  readonly results: readonly Result[];
  readonly generation: number;
  readonly took_ms: number;
  readonly warnings: readonly string[];
}

/**
 * `GET /api/note`: A note: content, properties, headings, links in and out; by path or by a passage's id
 */
export interface NoteRequest extends OfVault {
  readonly path?: string;
  /** Id of a passage, `path#n`, in place of `path` */
  readonly id?: string;
  /** Hash of that passage, or its first 8 digits */
  readonly hash?: string;
}

/**
 * A note with everything known about it; `passage` is the one that its `id` asked for.
 *
 * `lines` are what features tell of it, a short line each. `hash` is that of the whole note as it
 * is in its source now, which an edit takes as `expected_hash`.
 */
export interface NoteReply {
  readonly vault: string;
  readonly path: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly description: string | null;
  readonly content: string;
  readonly properties: Readonly<Record<string, PropertyValue>>;
  readonly headings: readonly HeadingView[];
  readonly links_out: readonly LinkView[];
  readonly links_in: readonly LinkView[];
  readonly created: string | null;
  readonly modified: string | null;
  readonly uri: string;
  readonly ledger: LedgerRow | null;
  readonly chunks: readonly ChunkView[];
  readonly passage: ChunkView | null;
  readonly blocks: readonly BlockView[];
  readonly lines: readonly string[];
  readonly hash: string | null;
}

/** A heading of a note. */
export interface HeadingView {
  readonly level: number;
  readonly text: string;
  readonly line: number;
}

/** A link seen from one note; `path` is null where it is unresolved. */
export interface LinkView {
  readonly path: string | null;
  readonly target: string;
  readonly display: string | null;
  readonly heading: string | null;
  readonly block: string | null;
  readonly embed: boolean;
  readonly kind: LinkKind;
  readonly line: number;
}

/**
 * State of a file in the index; with `?path=` also the rule that decides.
 *
 * Files that are never read are one row for each ending, such as `*.png`, and hidden ones one row,
 * `.*`: `count` says how many they are.
 */
export interface LedgerRow {
  readonly path: string;
  readonly state: LedgerState;
  readonly rule: string | null;
  readonly reason: string | null;
  readonly warnings: readonly string[];
  readonly attempts: number;
  readonly size: number;
  readonly modified: string | null;
  readonly updated: string | null;
  readonly count: number;
}

/** A passage of a note, as the index holds it; see `Passage` of searches. */
export interface ChunkView {
  readonly heading: string | null;
  readonly line: number;
  readonly chars: number;
  readonly id: string;
  readonly hash: string;
  readonly lines: readonly [number, number];
}

/** A block with an id, `^id` in the note, and its first and last line. */
export interface BlockView {
  readonly id: string;
  readonly lines: readonly [number, number];
}

/**
 * `POST /api/note/properties`: Change properties of a note; 409 where it is not as `expected_hash` says
 */
export interface EditProperties extends OfVault {
  /** Vault-relative path */
  readonly path: string;
  /** Hash of the note as you know it: nothing is written where it has changed since */
  readonly expected_hash?: string | null;
  /** Values by property */
  readonly set?: Readonly<Record<string, PropertyInput>>;
  /** Items to add to lists, by property */
  readonly add?: Readonly<Record<string, PropertyInput>>;
  /** Properties to remove */
  readonly remove?: readonly string[];
  /** New names by property */
  readonly rename?: Readonly<Record<string, string>>;
  /** Only show what would change */
  readonly dry_run?: boolean;
}

/**
 * The result of an edit. `hash` is that of the note on disk now, also after a dry run.
 *
 * `diff` is a unified diff of the lines that changed, "" if none did; `undo` the number that
 * undoes the write, None if nothing was written.
 */
export interface PropertiesReply {
  readonly vault: string;
  readonly path: string;
  readonly changed: boolean;
  readonly hash: string;
  readonly diff: string;
  readonly undo: number | null;
}

/** The edit of one note of a batch; see `EditProperties`. */
export interface NoteProperties {
  /** Vault-relative path */
  readonly path: string;
  /** Hash of the note as you know it: nothing is written where it has changed since */
  readonly expected_hash?: string | null;
  /** Values by property */
  readonly set?: Readonly<Record<string, PropertyInput>>;
  /** Items to add to lists, by property */
  readonly add?: Readonly<Record<string, PropertyInput>>;
  /** Properties to remove */
  readonly remove?: readonly string[];
  /** New names by property */
  readonly rename?: Readonly<Record<string, string>>;
}

/**
 * `POST /api/note/properties/batch`: Change properties of several notes, with one undo for all
 */
export interface EditPropertiesBatch extends OfVault {
  /** The edits */
  readonly edits: readonly NoteProperties[];
  /** Only show what would change */
  readonly dry_run?: boolean;
}

/** The result of a batch. `undo` undoes all of it; `refused` were left as they are. */
export interface PropertiesBatchReply {
  readonly vault: string;
  readonly changed: number;
  readonly notes: readonly EditedNote[];
  readonly refused: readonly RefusedWrite[];
  readonly undo: number | null;
}

/** One note of a batch; see `PropertiesReply`. */
export interface EditedNote {
  readonly path: string;
  readonly changed: boolean;
  readonly hash: string;
  readonly diff: string;
}

/** A note that was left as it is, and why. */
export interface RefusedWrite {
  readonly path: string;
  readonly code: string;
  readonly why: string;
}

/**
 * `POST /api/note/edit`: Edit one part of a note; 409 with its text now where it is not as `expected_hash` says
 */
export interface EditNote extends OfVault {
  /** Vault-relative path */
  readonly path: string;
  /** `hash` of the note as you read it */
  readonly expected_hash: string;
  /** `replace` the part, `append` at its end, or `insert` right below the heading or block */
  readonly how: How;
  /** The Markdown to write */
  readonly text: string;
  /** A heading, or a block as `^id`; left out, the end or the begin of the note */
  readonly section?: string;
  /** Only show what would change */
  readonly dry_run?: boolean;
}

/**
 * The result of an edit. `hash` is that of the note now, which the next edit takes.
 *
 * `diff` is a unified diff, "" if nothing changed; `undo` the number that takes it back, null if
 * nothing was written.
 */
export interface EditReply {
  readonly vault: string;
  readonly path: string;
  readonly changed: boolean;
  readonly hash: string;
  readonly diff: string;
  readonly undo: number | null;
}

/** `GET /api/base`: The rows of a view of a base, computed from the index */
export interface BaseRequest extends OfVault {
  /** Vault-relative path */
  readonly path: string;
  /** Name of the view; left out, the first one */
  readonly view?: string;
  /** The note that embeds the base, which `this` stands for */
  readonly within?: string;
  /** At most so many rows */
  readonly limit?: number;
}

/**
 * One view of a base: its columns and rows; `views` are the names of all its views.
 *
 * `total` counts all rows, of which the first are given. Where the base asks for what is not
 * computed here, `problem` says what, and there are no rows.
 */
export interface BaseReply {
  readonly vault: string;
  readonly path: string;
  readonly views: readonly string[];
  readonly view: string;
  readonly kind: string;
  readonly columns: readonly string[];
  readonly rows: readonly BaseRow[];
  readonly total: number;
  readonly problem: string | null;
}

/** A note of a base, with the values of its columns. */
export interface BaseRow {
  readonly path: string;
  readonly cells: readonly BaseCell[];
}

/** A value as it is shown; `path` is the note that it leads to. */
export interface BaseCell {
  readonly text: string;
  readonly path: string | null;
}

/** The bookmarked notes in Obsidian's order; those that the index lacks are left out. */
export interface BookmarksReply {
  readonly vault: string;
  readonly notes: readonly BookmarkedNote[];
}

/** A note that is bookmarked. `title` is the name that the bookmark has, else the note's. */
export interface BookmarkedNote {
  readonly path: string;
  readonly title: string;
}

/** `GET /api/graph/neighbors`: The notes within a number of links of a note */
export interface NeighborsRequest extends OfVault {
  /** Path of a note, or its name as in a link */
  readonly path: string;
  /** Maximum distance, in links */
  readonly hops?: number;
  /** Follow outgoing links, incoming links, or both */
  readonly direction?: Direction;
  /** Factor by which each further hop lowers a score */
  readonly decay?: number;
  /** Maximum number of results */
  readonly limit?: number;
  /** Include daily notes */
  readonly daily?: boolean;
  /** Along links, or also along topics (`ontology`) */
  readonly mode?: WalkMode;
}

/** The notes within some hops of a note, nearest first, then those with more `ways`. */
export interface NeighborsReply {
  readonly vault: string;
  readonly generation: number;
  readonly path: string;
  readonly hops: number;
  readonly direction: Direction;
  readonly decay: number;
  readonly total: number;
  readonly neighbors: readonly Neighbor[];
}

/**
 * A note near another: `score` is decay to the power of `hops`.
 *
 * `ways` counts the notes one hop nearer that are linked with it. `link` is the direction of its
 * link with the start note, seen from there; null where none of the two links to the other.
 * `topics` are the paths of the topics that both name, or that one of them is and the other names;
 * only the mode `ontology` looks for them.
 */
export interface Neighbor {
  readonly path: string;
  readonly title: string;
  readonly hops: number;
  readonly score: number;
  readonly ways: number;
  readonly link: Direction | null;
  readonly topics: readonly string[];
}

/** `GET /api/graph/neighborhood`: Notes, links and similarities, to draw as a graph */
export interface NeighborhoodRequest extends OfVault {
  /** Around this note; left out, of the whole vault */
  readonly path?: string;
  /** Without `path`: the results of this search */
  readonly q?: string;
  /** With `q`: notes that hardly match, too */
  readonly weak?: boolean;
  /** Maximum distance, in links */
  readonly hops?: number;
  /** Maximum number of notes */
  readonly limit?: number;
  /** Include how similar notes are */
  readonly similar?: boolean;
  /** Include the community of each note */
  readonly communities?: boolean;
  /** Include daily notes */
  readonly daily?: boolean;
}

/**
 * Notes and their links, to draw as a graph; nearest first, or most linked first.
 *
 * `links` are pairs of indexes into `nodes`, `similar` such pairs with their similarity. `total`
 * counts the notes within the maximum distance.
 */
export interface NeighborhoodReply {
  readonly vault: string;
  readonly generation: number;
  readonly path: string | null;
  readonly total: number;
  readonly nodes: readonly NeighborhoodNote[];
  readonly links: readonly (readonly [number, number])[];
  readonly similar: readonly (readonly [number, number, number])[];
  readonly warnings: readonly string[];
}

/**
 * A note of a drawn graph; `links` counts all its links. `hops` is null if none lead to it.
 *
 * `community` counts from 0 for the largest; null where it was not requested, or for a note that
 * shares a community with no other.
 */
export interface NeighborhoodNote {
  readonly path: string;
  readonly title: string;
  readonly hops: number | null;
  readonly links: number;
  readonly tags: readonly string[];
  readonly modified: string | null;
  readonly community: number | null;
}

/** `GET /api/graph/path`: The shortest path from one note to another */
export interface PathRequest extends OfVault {
  /** Path of a note, or its name as in a link */
  readonly source: string;
  /** Path of a note, or its name as in a link */
  readonly target: string;
  /** Follow links only from their source to their target */
  readonly directed?: boolean;
  /** Include daily notes */
  readonly daily?: boolean;
}

/** A shortest path, both ends included. `length` is null where nothing connects the notes. */
export interface PathReply {
  readonly vault: string;
  readonly generation: number;
  readonly source: string;
  readonly target: string;
  readonly directed: boolean;
  readonly length: number | null;
  readonly steps: readonly PathStep[];
}

/** A note on a path; `link` is the direction of the link from the note before it. */
export interface PathStep {
  readonly path: string;
  readonly title: string;
  readonly link: Direction | null;
}

/** `GET /api/graph/hubs`: The notes that most others link to */
export interface HubsRequest extends OfVault {
  /** Rank by the number of incoming links, or by PageRank */
  readonly by?: HubOrder;
  /** Maximum number of results */
  readonly limit?: number;
  /** Include daily notes */
  readonly daily?: boolean;
}

/** The hubs, first the one that most notes link to or that has the highest PageRank. */
export interface HubsReply {
  readonly vault: string;
  readonly generation: number;
  readonly by: HubOrder;
  readonly total: number;
  readonly hubs: readonly Hub[];
}

/** A note that many notes link to; the `pagerank` of all notes together is 1. */
export interface Hub {
  readonly path: string;
  readonly title: string;
  readonly links_in: number;
  readonly links_out: number;
  readonly pagerank: number;
}

/** `GET /api/graph/stats`: How many notes and links there are, and how they are connected */
export interface GraphStatsRequest extends OfVault {
  /** Include daily notes */
  readonly daily?: boolean;
}

/**
 * A vault's links in numbers.
 *
 * `edges` counts directed pairs of different notes that are linked; `unresolved` pairs of a
 * note and a target that is no note (without attachments); `components` connected components, of
 * which the largest has `largest` notes; `isolated` notes without any link; `orphans` notes that
 * no note links to.
 */
export interface GraphStatsReply {
  readonly vault: string;
  readonly generation: number;
  readonly nodes: number;
  readonly edges: number;
  readonly unresolved: number;
  readonly components: number;
  readonly largest: number;
  readonly isolated: number;
  readonly orphans: number;
  readonly hubs: readonly Hub[];
}

/** `GET /api/graph/bridges`: Links and notes without which a part of the vault is disconnected */
export interface BridgesRequest extends OfVault {
  /** Maximum number of results */
  readonly limit?: number;
  /** Include daily notes */
  readonly daily?: boolean;
}

/**
 * Links (bridges) and notes (articulation points) that alone connect parts of the vault.
 *
 * Those whose loss would disconnect most notes come first.
 */
export interface BridgesReply {
  readonly vault: string;
  readonly generation: number;
  readonly total_bridges: number;
  readonly total_notes: number;
  readonly bridges: readonly BridgeLink[];
  readonly notes: readonly CutNote[];
}

/** Two notes whose link alone connects `cut_off` notes with the rest. */
export interface BridgeLink {
  readonly source: string;
  readonly target: string;
  readonly cut_off: number;
}

/** A note that alone connects `cut_off` notes with the rest. */
export interface CutNote {
  readonly path: string;
  readonly title: string;
  readonly cut_off: number;
}

/** `GET /api/graph/communities`: Groups of notes that link to each other */
export interface CommunitiesRequest extends OfVault {
  /** Only the community of this note */
  readonly path?: string;
  /** Maximum number of results */
  readonly limit?: number;
  /** Number of notes shown of each community */
  readonly members?: number;
  /** Include daily notes */
  readonly daily?: boolean;
}

/**
 * Communities of at least two notes, largest first; `single` notes are in none.
 *
 * `modularity` (at most 1) is how clearly they are separated; from 0.3 on it is significant.
 */
export interface CommunitiesReply {
  readonly vault: string;
  readonly generation: number;
  readonly total: number;
  readonly single: number;
  readonly modularity: number;
  readonly communities: readonly Community[];
}

/**
 * Notes that link to each other more than to the rest; `name` is its most linked note's title.
 *
 * `tags` are those that its notes have most often; `notes` the most linked within the vault.
 */
export interface Community {
  readonly name: string;
  readonly size: number;
  readonly tags: readonly string[];
  readonly notes: readonly GraphNote[];
}

/** A note, how many notes link to it, and how many it links to. */
export interface GraphNote {
  readonly path: string;
  readonly title: string;
  readonly links_in: number;
  readonly links_out: number;
}

/** `GET /api/graph/orphans`: Notes that no note links to */
export interface OrphansRequest extends OfVault {
  /** Maximum number of results */
  readonly limit?: number;
  /** Include daily notes */
  readonly daily?: boolean;
}

/** Notes that no note links to; `isolated` of them have no links of their own either. */
export interface OrphansReply {
  readonly vault: string;
  readonly generation: number;
  readonly total: number;
  readonly isolated: number;
  readonly notes: readonly GraphNote[];
}

/** `GET /api/graph/dangling`: Links that lead to no note */
export interface DanglingRequest extends OfVault {
  /** Maximum number of results */
  readonly limit?: number;
  /** Include daily notes */
  readonly daily?: boolean;
}

/**
 * Targets of links that lead to no note, first those that most notes name.
 *
 * `attachments` counts links to pictures and the like, which the index does not follow.
 */
export interface DanglingReply {
  readonly vault: string;
  readonly generation: number;
  readonly total: number;
  readonly attachments: number;
  readonly targets: readonly DanglingTarget[];
}

/**
 * A link target that is no note: named by `links` links of `total_notes` notes.
 *
 * `notes` are the first of those notes.
 */
export interface DanglingTarget {
  readonly target: string;
  readonly links: number;
  readonly total_notes: number;
  readonly notes: readonly string[];
}

/** `GET /api/graph/missing`: Notes that are similar and not linked */
export interface MissingLinksRequest extends OfVault {
  /** Only pairs with this note */
  readonly path?: string;
  /** Maximum number of results */
  readonly limit?: number;
  /** Include daily notes */
  readonly daily?: boolean;
}

/** Links that might be missing, most similar first. `compared` counts the notes compared. */
export interface MissingLinksReply {
  readonly vault: string;
  readonly generation: number;
  readonly compared: number;
  readonly links: readonly MissingLink[];
  readonly warnings: readonly string[];
}

/**
 * Two notes that are similar and not linked; `score` is their similarity, less their folders'.
 *
 * `shared_links` counts the notes that are linked with both.
 */
export interface MissingLink {
  readonly source: string;
  readonly target: string;
  readonly score: number;
  readonly shared_links: number;
  readonly shared_tags: readonly string[];
}

/** `GET /api/archaeology`: When a topic was written about */
export interface ArchaeologyRequest extends OfVault {
  /** The topic, as a query */
  readonly q: string;
  /** Maximum number of results */
  readonly limit?: number;
  /** Lowest score of a note about the topic; the best note has 1 */
  readonly min_score?: number;
  /** Count notes that hardly match the topic */
  readonly weak?: boolean;
  /** Which date of a note counts */
  readonly by?: DatedBy;
  /** Time span of one bucket */
  readonly granularity?: Granularity;
}

/**
 * A topic over time. Days are dates without a time: 2026-03-02.
 *
 * `total` notes score at least `min_score`; `notes` are those that have a day, oldest first;
 * `buckets` are those with notes in them. `peaks` come strongest first.
 */
export interface ArchaeologyReply {
  readonly query: string;
  readonly vault: string;
  readonly generation: number;
  readonly by: DatedBy;
  readonly granularity: "day" | "week" | "month";
  readonly min_score: number;
  readonly total: number;
  readonly undated: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly intervals: readonly Interval[];
  readonly gaps: readonly Gap[];
  readonly peaks: readonly Peak[];
  readonly buckets: readonly Bucket[];
  readonly notes: readonly DatedNote[];
  readonly warnings: readonly string[];
}

/** A time of activity without a gap, from its first note's day to its last note's. */
export interface Interval {
  readonly start: string;
  readonly end: string;
  readonly count: number;
}

/** A long pause between two intervals: the days without a note. */
export interface Gap {
  readonly start: string;
  readonly end: string;
  readonly days: number;
}

/** A bucket with unusually many notes, most relevant notes first. */
export interface Peak {
  readonly start: string;
  readonly end: string;
  readonly count: number;
  readonly notes: readonly DatedNote[];
}

/**
 * A note about the topic and its date; `dated_by` says where the date is from.
 *
 * `daily`: it is the daily note of that date; `created` and `modified`: its properties; `name`: a
 * date in the name of its file; `file`: the times of its file.
 */
export interface DatedNote {
  readonly date: string;
  readonly dated_by: DateSource;
  readonly path: string;
  readonly title: string;
  readonly heading: string | null;
  readonly line: number;
  readonly snippet: string;
  readonly score: number;
  readonly uri: string;
}

/** A day, a week (from Monday) or a month with notes in it; both days are included. */
export interface Bucket {
  readonly start: string;
  readonly end: string;
  readonly count: number;
}

/** `GET /api/diagnose`: Why a search does not find a note */
export interface DiagnoseRequest extends OfVault {
  /** The query, as it was searched for */
  readonly q: string;
  /** The note that is missing: its path, or its name */
  readonly path: string;
}

/**
 * Whether a search finds a note, and if not, the step of the search that loses it.
 *
 * `rank` is its place in the list without a limit, from 1; null if it is not in it. `layer` is
 * null if it is among the first ten. `why` and `mend` are sentences for people; `mend` is "" where
 * nothing is to be done. `action` says how a client can offer the mend: search for `suggested`
 * instead, or again with `weak` or `everything`; index the note; open the settings or the log.
 */
export interface Diagnosis {
  readonly query: string;
  readonly path: string;
  readonly vault: string;
  readonly found: boolean;
  readonly rank: number | null;
  readonly layer: SearchLayer | null;
  readonly why: string;
  readonly mend: string;
  readonly action: MendAction | null;
  readonly suggested: string | null;
}

/** `GET /api/companions`: Notes that answer a question together with its best result */
export interface CompanionsRequest extends OfVault {
  /** The question */
  readonly q: string;
  /** The note that answers in part, or its name */
  readonly path?: string;
  /** The most companions */
  readonly limit?: number;
}

/**
 * The best result of a question, and the notes that it links which say what it does not.
 *
 * `first` is null where no note fits. There are no companions where it says nearly all that is
 * asked, or links no note. `rest` is the part of the question that was searched among its links.
 */
export interface CompanionsReply {
  readonly query: string;
  readonly vault: string;
  readonly first: Result | null;
  readonly rest: string;
  readonly companions: readonly Companion[];
  readonly warnings: readonly string[];
}

/**
 * A note that the first one links, by what it says on the rest of the question.
 *
 * `link_text` is the line of the first note that links it, without a list marker, and `link_line`
 * its number; of a link in a property it is the property.
 */
export interface Companion {
  readonly result: Result;
  readonly link_line: number;
  readonly link_text: string;
}

/** `GET /api/evidence`: The sentences of the notes that answer a question */
export interface EvidenceRequest extends OfVault {
  /** The question */
  readonly q: string;
  /** The most sentences */
  readonly limit?: number;
}

/**
 * The sentences that answer a question, the surest first.
 *
 * `said` false: the notes do not say, so far as was found; then `nearest` are notes about it.
 * Where no answer is sure, `companions` are notes that the one of the first answer, or the nearest
 * one, links and that say what it does not.
 */
export interface EvidenceReply {
  readonly query: string;
  readonly vault: string;
  readonly said: boolean;
  readonly answers: readonly Evidence[];
  readonly nearest: readonly NearNote[];
  readonly warnings: readonly string[];
  readonly companions: readonly Companion[];
}

/**
 * A sentence that answers a question, word for word, and where it stands.
 *
 * `confidence` (0..1): how likely it answers, as judged on questions about a vault of help notes.
 */
export interface Evidence {
  readonly text: string;
  readonly path: string;
  readonly title: string;
  readonly line: number;
  readonly heading: string | null;
  readonly uri: string;
  readonly confidence: number;
}

/** A note near a question that none answers. */
export interface NearNote {
  readonly path: string;
  readonly title: string;
  readonly line: number;
  readonly heading: string | null;
  readonly uri: string;
  readonly snippet: string;
}

/** The questions that wait, the newest first; `new` counts answers that nobody was shown. */
export interface QuestionsReply {
  readonly vault: string;
  readonly questions: readonly StandingQuestion[];
  readonly new: number;
}

/** A question that waits for an answer; `answers` are those noticed, the newest first. */
export interface StandingQuestion {
  readonly id: string;
  readonly text: string;
  readonly added: string;
  readonly answers: readonly ToldAnswer[];
}

/**
 * A sentence that answers a question, from a note that was written after it was asked.
 *
 * `at` says when it was noticed, `is_new` that nobody has been shown it yet.
 */
export interface ToldAnswer {
  readonly text: string;
  readonly path: string;
  readonly line: number;
  readonly confidence: number;
  readonly at: string;
  readonly is_new: boolean;
}

/**
 * `POST /api/questions`: Keep a question: notes written from now on that answer it are noticed
 */
export interface AddQuestion extends OfVault {
  /** The question */
  readonly text: string;
}

/** `POST /api/questions/shown`: Say that the answers of a question were shown */
export interface QuestionShown extends OfVault {
  /** Id of the question */
  readonly id: string;
}

/** `DELETE /api/questions`: Keep a question no longer */
export interface RemoveQuestion extends OfVault {
  /** Id of the question */
  readonly id: string;
}

/**
 * `GET /api/open-ends`: What the notes promise, decide or ask, and never take up again, by week
 */
export interface OpenEndsRequest extends OfVault {
  /** Only this kind */
  readonly kind?: "" | "promised" | "decided" | "asked";
  /** Only the notes in this folder */
  readonly folder?: string;
  /** The most sentences, the newest first */
  readonly limit?: number;
}

/** Open ends by week, the newest week first; `total` counts all, also those not listed. */
export interface OpenEndsReply {
  readonly vault: string;
  readonly weeks: readonly OpenWeek[];
  readonly total: number;
  readonly dismissed: number;
}

/** The open ends of notes dated within a week, which begins on the Monday `start`. */
export interface OpenWeek {
  readonly start: string;
  readonly ends: readonly OpenEnd[];
}

/** A sentence that was left open. `id` stands for its words, wherever they stand. */
export interface OpenEnd {
  readonly id: string;
  readonly kind: Kind;
  readonly text: string;
  readonly path: string;
  readonly title: string;
  readonly line: number;
  readonly uri: string;
}

/** `POST /api/open-ends/dismiss`: Show an open end no longer, or again */
export interface DismissOpenEnd extends OfVault {
  /** Id of the open end */
  readonly id: string;
  /** False: show it again */
  readonly dismissed?: boolean;
}

/** `GET /api/history`: What a note once said: its changes in the vault's git history */
export interface HistoryRequest extends OfVault {
  /** Words that a line has; none: all changes */
  readonly q?: string;
  /** Only this note, also under former names */
  readonly path?: string;
  /** Maximum number of results */
  readonly limit?: number;
}

/**
 * The changes of notes whose lines match a query, newest first.
 *
 * `first` is the oldest change that added a matching line: when it was first written. `total`
 * counts all changes, whatever the limit. `warnings` tell what was left out.
 */
export interface HistoryReply {
  readonly query: string;
  readonly path: string | null;
  readonly vault: string;
  readonly total: number;
  readonly first: NoteVersion | null;
  readonly versions: readonly NoteVersion[];
  readonly warnings: readonly string[];
}

/** A change of a note: the lines that match the query, as they came and went. */
export interface NoteVersion {
  readonly commit: string;
  readonly at: string;
  readonly path: string;
  readonly subject: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** `GET /api/complete`: Completions of a query that is being typed */
export interface CompleteRequest extends OfVault {
  /** The query up to the cursor */
  readonly prefix?: string;
  /** Maximum number of results */
  readonly limit?: number;
}

/** Completions, best first. */
export interface CompleteReply {
  readonly prefix: string;
  readonly vault: string;
  readonly generation: number;
  readonly completions: readonly Completion[];
}

/**
 * A completion of a query: `insert` replaces the query from `start` on.
 *
 * `start` counts UTF-16 code units; `count` is the number of notes that have it, or for a title
 * or a path the number of notes that link to it; `path` is the note that it names, if it does.
 */
export interface Completion {
  readonly kind: CompletionKind;
  readonly text: string;
  readonly insert: string;
  readonly start: number;
  readonly count: number;
  readonly path: string | null;
}

/** `GET /api/ledger`: The state of each file, and why */
export interface LedgerRequest extends OfVault {
  /** Only files in this state */
  readonly state?: LedgerState;
  /** Only this file, with the rule that decides */
  readonly path?: string;
}

/** The ledger: the counts of all states, and the requested entries. */
export interface LedgerReply {
  readonly vault: string;
  readonly total: number;
  readonly counts: Readonly<Partial<Record<LedgerState, number>>>;
  readonly entries: readonly LedgerRow[];
}

/** `POST /api/opened`: Record which result of a search was opened */
export interface OpenedRequest extends OfVault {
  /** Vault-relative path */
  readonly path: string;
  /** Id of the search, from its reply */
  readonly query_id?: string | null;
  /** The query, where the search has no id */
  readonly q?: string | null;
  /** Rank of the result, from 1 */
  readonly rank?: number | null;
}

/** The outcome of recording that a result was opened; `reason` says why it was not. */
export interface OpenedReply {
  readonly recorded: boolean;
  readonly reason: string | null;
}

/**
 * `POST /api/verdict`: Record whether a note is the answer to a query, or is never to be shown for it
 */
export interface VerdictRequest extends OfVault {
  /** The query, as it was searched */
  readonly q: string;
  /** Vault-relative path */
  readonly path: string;
  /** `clear` removes an earlier verdict */
  readonly verdict: Verdict | "clear";
}

/** The current verdict on a note for a query; null where there is none. */
export interface VerdictReply {
  readonly query: string;
  readonly path: string;
  readonly verdict: Verdict | null;
}

/** `GET /api/log`: The newest searches, what was opened of them, and all verdicts */
export interface LogRequest extends OfVault {
  /** Maximum number of searches */
  readonly limit?: number;
  /** Only searches from this time on */
  readonly since?: string;
}

/** The log: how many searches it has, the newest of them, and all verdicts, oldest first. */
export interface LogReply {
  readonly vault: string;
  readonly enabled: boolean;
  readonly total: number;
  readonly entries: readonly LoggedQuery[];
  readonly verdicts: readonly VerdictView[];
}

/** A search in the log, with its first results and what was opened of them. */
export interface LoggedQuery {
  readonly query_id: string;
  readonly at: string | null;
  readonly door: string;
  readonly query: string;
  readonly mode: SearchMode;
  readonly took_ms: number;
  readonly generation: number;
  readonly results: readonly LoggedResult[];
  readonly opened: readonly LoggedOpen[];
}

/** A result of a search in the log. */
export interface LoggedResult {
  readonly path: string;
  readonly score: number;
}

/** A result that was opened; `rank` counts from 1, null where unknown. */
export interface LoggedOpen {
  readonly path: string;
  readonly rank: number | null;
  readonly at: string | null;
}

/** A person's verdict on a note as the answer to a query. */
export interface VerdictView {
  readonly query: string;
  readonly path: string;
  readonly verdict: Verdict;
  readonly at: string | null;
}

/** `POST /api/log/clear`: Delete the log of searches */
export interface ClearLogRequest extends OfVault {
  /** Keep the verdicts, which a person made by hand */
  readonly keep_verdicts?: boolean;
}

/** Numbers of entries of each kind that were deleted from the log. */
export interface ClearedReply {
  readonly queries: number;
  readonly opened: number;
  readonly verdicts: number;
}

/** `POST /api/tune`: Fit the weights of the ranking to your verdicts and opened results */
export interface TuneRequest extends OfVault {
  /** Use the fitted weights from now on, if they are surely better */
  readonly apply?: boolean;
  /** Go back to the default weights */
  readonly reset?: boolean;
}

/**
 * The weights that tuning found, and whether the next search uses them.
 *
 * `queries` are the judged queries that were used; `missing` is how many more are needed.
 * `weights` are factors on the parts of the score, by name; where nothing is surely better or
 * weights are not applied, `after` is what was fitted.
 */
export interface TuneReply {
  readonly vault: string;
  readonly outcome: TuneOutcome;
  readonly queries: number;
  readonly missing: number;
  readonly weights: Readonly<Record<string, TunedWeight>>;
  readonly gain: TuneGain | null;
}

/** A factor on one part of the score; 1 is the default. */
export interface TunedWeight {
  readonly before: number;
  readonly after: number;
}

/**
 * nDCG@10 on the judged queries, 0..1, and the 95 % interval of the difference.
 *
 * `after` and the difference are of queries that the weights were not fitted on.
 */
export interface TuneGain {
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** `POST /api/memory/store`: Store a memory as a note; the same content is stored once */
export interface StoreMemory extends OfVault {
  /** What to remember */
  readonly content: string;
  /** What kind of memory it is */
  readonly type?: MemoryType;
  /** Namespace to store it in */
  readonly namespace?: string;
  /** How important it is, from 0 to 1 */
  readonly importance?: number;
  /** Where it comes from: a note, a person, a conversation */
  readonly provenance?: string | null;
  /** Name of the note; left out, it is made from the content */
  readonly title?: string | null;
}

/** A memory after a change. `existing`: nothing had to change. `undo` is the write's number. */
export interface MemoryChangedReply {
  readonly vault: string;
  readonly memory: MemoryView;
  readonly existing: boolean;
  readonly undo: number | null;
}

/**
 * A memory. `golden`: a golden rule that no newer memory supersedes.
 *
 * `warnings` name properties that cannot be read.
 */
export interface MemoryView {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly content: string;
  readonly type: MemoryType;
  readonly namespace: string;
  readonly importance: number;
  readonly confidence: number;
  readonly golden: boolean;
  readonly provenance: string | null;
  readonly created: string | null;
  readonly accessed: string | null;
  readonly access_count: number;
  readonly relations: readonly RelationView[];
  readonly warnings: readonly string[];
}

/** The relation of a memory to another. `path` is None where its target is gone. */
export interface RelationView {
  readonly kind: RelationKind;
  readonly target: string;
  readonly path: string | null;
  readonly weight: number;
}

/** `GET /api/memory/recall`: Memories and notes relevant to a query, and why */
export interface RecallMemories extends OfVault {
  /** The task at hand, in words */
  readonly query: string;
  /** Only memories of this namespace */
  readonly namespace?: string;
  /** Only memories of this type */
  readonly type?: MemoryType;
  /** Maximum number of results */
  readonly limit?: number;
  /** How many steps to follow along relations */
  readonly depth?: number;
  /** Maximum number of notes; 0: only memories */
  readonly notes?: number;
}

/** The memories and the notes relevant to a query, each best first; `total` counts memories. */
export interface RecallReply {
  readonly query: string;
  readonly vault: string;
  readonly total: number;
  readonly memories: readonly RecalledMemory[];
  readonly warnings: readonly string[];
  readonly notes: readonly RecalledNote[];
}

/**
 * A memory that was found.
 *
 * `via` is the id of the memory, or the path of the note, that led to it, `depth` steps away.
 */
export interface RecalledMemory {
  readonly memory: MemoryView;
  readonly score: number;
  readonly parts: RecallParts;
  readonly why: string;
  readonly depth: number;
  readonly via: string | null;
  readonly superseded_by: readonly string[];
  readonly contradicted_by: readonly string[];
}

/**
 * Parts of a score: similarity * (0.5 + 0.25 c + 0.15 i + 0.1 r) * `standing`.
 *
 * `standing` is below 1 for a memory that a newer one supersedes.
 */
export interface RecallParts {
  readonly similarity: number;
  readonly confidence: number;
  readonly importance: number;
  readonly recency: number;
  readonly standing: number;
}

/** A note that was found, as in a search, with its best passage. */
export interface RecalledNote {
  readonly path: string;
  readonly title: string;
  readonly heading: string | null;
  readonly line: number;
  readonly snippet: string;
  readonly score: number;
  readonly memories: readonly NoteMemoryLink[];
}

/**
 * The link of a note with a memory that was found.
 *
 * `kind` is that of a relation; `provenance`: the memory comes from the note; `link`: one of them
 * links to the other.
 */
export interface NoteMemoryLink {
  readonly id: string;
  readonly kind: RelationKind | "provenance" | "link";
}

/**
 * `GET /api/memory/context`: Memories for an assistant to read, golden rules first, within a budget
 */
export interface MemoryContext extends OfVault {
  /** The task at hand, in words */
  readonly query?: string;
  /** Only memories of this namespace */
  readonly namespace?: string;
  /** Maximum number of tokens */
  readonly budget_tokens?: number;
  /** How many steps to follow along relations */
  readonly depth?: number;
}

/** A text for an assistant. `memories` are those in it, `left_out` did not fit. */
export interface MemoryContextReply {
  readonly query: string;
  readonly vault: string;
  readonly text: string;
  readonly tokens: number;
  readonly budget_tokens: number;
  readonly memories: readonly string[];
  readonly left_out: readonly string[];
  readonly warnings: readonly string[];
}

/** `POST /api/memory/apply`: Report that a memory is being used */
export interface ApplyMemory extends OfVault {
  /** Id, path or name of a memory */
  readonly id: string;
  /** Comment for the history */
  readonly comment?: string;
}

/** `POST /api/memory/outcome`: Report whether a memory helped, which changes its confidence */
export interface MemoryOutcome extends OfVault {
  /** Id, path or name of a memory */
  readonly id: string;
  /** Whether it helped */
  readonly helped: boolean;
  /** Comment for the history */
  readonly comment?: string;
}

/** `POST /api/memory/forget`: Delete memories; a golden rule only with `force` */
export interface ForgetMemory extends OfVault {
  readonly id?: string | null;
  /** Several memories instead of one */
  readonly ids?: readonly string[] | null;
  /** Delete golden rules too */
  readonly force?: boolean;
}

/**
 * Memories that were deleted: `id`, `path` and `undo` are those of the first.
 *
 * `protected_ids` are golden rules, which need `force`; `missing_ids` are not there. Both are
 * empty where one memory was named: then they are errors.
 */
export interface MemoryForgottenReply {
  readonly vault: string;
  readonly id: string | null;
  readonly path: string | null;
  readonly undo: number | null;
  readonly forgotten: readonly ForgottenMemory[];
  readonly protected_ids: readonly string[];
  readonly missing_ids: readonly string[];
}

/** A memory that was deleted. `undo` is a number for undoing. */
export interface ForgottenMemory {
  readonly id: string;
  readonly path: string;
  readonly undo: number | null;
}

/** `POST /api/memory/relate`: Record how a memory is related to another, or to a note */
export interface RelateMemories extends OfVault {
  /** Id, path or name of a memory */
  readonly source: string;
  /** Id, path or name of a memory, or path of a note */
  readonly target: string;
  /** How they are related */
  readonly kind?: RelationKind;
  /** How strong the relation is */
  readonly weight?: number;
}

/** `POST /api/memory/unrelate`: Remove a relation */
export interface UnrelateMemories extends OfVault {
  /** Id, path or name of a memory */
  readonly source: string;
  /** Id, path or name of a memory */
  readonly target: string;
  /** How they are related */
  readonly kind?: RelationKind;
}

/** `GET /api/memory/inspect`: Everything about one memory */
export interface InspectMemory extends OfVault {
  /** Id, path or name of a memory */
  readonly id: string;
}

/** Everything about one memory. */
export interface MemoryInspectReply {
  readonly vault: string;
  readonly memory: MemoryView;
  readonly related_from: readonly RelationView[];
  readonly history: readonly ValidationView[];
}

/** One report about a memory; confidences are None where it did not change. */
export interface ValidationView {
  readonly at: string;
  readonly id: string;
  readonly title: string;
  readonly kind: ValidationKind;
  readonly before: number | null;
  readonly after: number | null;
  readonly comment: string;
}

/** `GET /api/memory/list`: The stored memories */
export interface ListMemories extends OfVault {
  /** Only memories of this namespace */
  readonly namespace?: string;
  /** Only memories of this type */
  readonly type?: MemoryType;
  /** Sort by this, the newest or highest first */
  readonly order?: MemoryOrder;
  /** Maximum number of results */
  readonly limit?: number;
}

/** The stored memories; `namespaces` counts all of them. `folder` is None where none is set. */
export interface MemoryListReply {
  readonly vault: string;
  readonly folder: string | null;
  readonly total: number;
  readonly namespaces: Readonly<Record<string, number>>;
  readonly memories: readonly MemoryView[];
  readonly warnings: readonly string[];
}

/** `GET /api/memory/history`: What was reported about memories, newest first */
export interface MemoryHistory extends OfVault {
  /** Only of this memory */
  readonly id?: string;
  /** Maximum number of results */
  readonly limit?: number;
}

/** Reports about memories, newest first. */
export interface MemoryHistoryReply {
  readonly vault: string;
  readonly total: number;
  readonly entries: readonly ValidationView[];
}

/** `GET /api/memory/health`: Contradictory, stale, orphaned and duplicate memories */
export interface MemoryHealth extends OfVault {
  /** Only memories of this namespace */
  readonly namespace?: string;
}

/** Problems with memories, for a person to look at. */
export interface MemoryHealthReply {
  readonly vault: string;
  readonly total: number;
  readonly golden: number;
  readonly by_type: Readonly<Record<string, number>>;
  readonly average_confidence: number | null;
  readonly contradictions: readonly Contradiction[];
  readonly stale: readonly Ailing[];
  readonly orphaned: readonly Ailing[];
  readonly doubles: readonly Ailing[];
  readonly unreadable: readonly Ailing[];
}

/** Two contradictory memories. `stated`: a relation says so; otherwise it is a guess. */
export interface Contradiction {
  readonly one: string;
  readonly other: string;
  readonly stated: boolean;
  readonly reason: string;
}

/** A memory with a problem. */
export interface Ailing {
  readonly id: string;
  readonly path: string;
  readonly reason: string;
}

/** The topics of a vault. `instructions` are a person's for whoever gives notes topics. */
export interface TopicsReply {
  readonly vault: string;
  readonly topics: readonly TopicView[];
  readonly folders: readonly TopicFolder[];
  readonly instructions: string | null;
}

/** A topic, and how many notes name it. */
export interface TopicView {
  readonly name: string;
  readonly path: string;
  readonly aliases: readonly string[];
  readonly notes: number;
}

/** A folder of topics; `purpose` is the beginning of its index note. */
export interface TopicFolder {
  readonly path: string;
  readonly purpose: string;
}

/** Problems of the topics; `unused` are paths of topics that no note names. */
export interface TopicCheckReply {
  readonly vault: string;
  readonly unknown: readonly UnknownTopic[];
  readonly unused: readonly string[];
  readonly alike: readonly AlikeTopics[];
}

/** A value of `topics` that is no topic; `nearest` is the path of one that is spelled alike. */
export interface UnknownTopic {
  readonly note: string;
  readonly value: string;
  readonly nearest?: string;
}

/** Two topics, by path, that may be one: alike in name, or in meaning (a cosine). */
export interface AlikeTopics {
  readonly one: string;
  readonly other: string;
  readonly score: number;
  readonly by: "name" | "meaning";
}

/** `POST /api/gleanings/extract`: Make notes of the links saved in daily notes */
export interface ExtractGleanings extends OfVault {
  /** Read all daily notes again; statuses stay */
  readonly full?: boolean;
  /** Read the titles of bare addresses from the web */
  readonly fetch?: boolean;
  /** Only tell what would be done */
  readonly dry_run?: boolean;
}

/**
 * The result of an extraction.
 *
 * `files` are the daily notes that were read, `found` the links in them, `created` the notes that
 * were made (`ids`), `skipped` the links that had one; `errors` are entries that cannot be read.
 * `undo` undoes the last notes written together, None if there is none.
 */
export interface ExtractReply {
  readonly vault: string;
  readonly run: string;
  readonly files: number;
  readonly found: number;
  readonly created: number;
  readonly skipped: number;
  readonly ids: readonly string[];
  readonly errors: number;
  readonly undo: number | null;
}

/** `GET /api/gleanings`: The links saved in daily notes */
export interface GleaningsRequest extends OfVault {
  /** Only those with this status */
  readonly status?: GleaningStatus;
  /** Words of title, description or address */
  readonly q?: string;
  /** Maximum number of results */
  readonly limit?: number;
}

/** Gleanings, the newest first; `total` counts all that fit. */
export interface GleaningsReply {
  readonly vault: string;
  readonly gleanings: readonly GleaningView[];
  readonly total: number;
}

/**
 * A saved link.
 *
 * `source` is the daily note where it was first saved, at `line`; `days` are all its days.
 * `note` is the note that was made of it, None if none was.
 */
export interface GleaningView {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly domain: string;
  readonly description: string;
  readonly created: string | null;
  readonly source: string;
  readonly line: number;
  readonly days: readonly string[];
  readonly status: GleaningStatus;
  readonly reason: string;
  readonly note: string | null;
}

/** Gleanings in figures: in all, those with a note, by status, and the most frequent hosts. */
export interface GleaningStatsReply {
  readonly vault: string;
  readonly total: number;
  readonly extracted: number;
  readonly statuses: Readonly<Partial<Record<GleaningStatus, number>>>;
  readonly domains: readonly DomainCount[];
}

/** A host and the number of its gleanings. */
export interface DomainCount {
  readonly domain: string;
  readonly count: number;
}

/** `GET /api/gleanings/{id}`: One saved link, with the changes of its status */
export interface GleaningRequest extends OfVault {
  /** Id of the gleaning */
  readonly id: string;
}

/** One gleaning, with the last 100 changes of its status, newest first. */
export interface GleaningReply {
  readonly vault: string;
  readonly gleaning: GleaningView;
  readonly history: readonly StatusChange[];
}

/** One change of a status. `by` is "hand" or "maintain". */
export interface StatusChange {
  readonly at: string | null;
  readonly status: GleaningStatus;
  readonly reason: string;
  readonly by: string;
}

/** `POST /api/gleanings/{id}/status`: Give a saved link a status */
export interface MarkGleaning extends OfVault {
  /** Id of the gleaning */
  readonly id: string;
  /** The new status */
  readonly status: GleaningStatus;
  /** Why, for people */
  readonly reason?: string;
}

/** `POST /api/gleanings/maintain`: Check the saved links on the web */
export interface MaintainGleanings extends OfVault {
  /** Check, and change nothing */
  readonly dry_run?: boolean;
}

/** A check of links that has begun: `GET /api/runs/{id}` tells how far it is. */
export interface MaintainReply {
  readonly vault: string;
  readonly run: string;
}

/** `POST /api/garden/plans`: Make a plan of what could be tended; nothing is changed */
export interface MakePlan extends OfVault {
  /** Names of checks; left out: those that are usual */
  readonly checks?: readonly GardenCheck[];
  /** At most this many suggestions */
  readonly limit?: number;
  /** Also ask the language model for topics and descriptions */
  readonly model?: boolean;
  /** The model's host (GET /api/garden/model): you agree to send notes there */
  readonly host?: string | null;
}

/**
 * A plan. `note` is the note it was written to, None if no folder is set for plans.
 *
 * `counts` are suggestions by state, and `more` those that were found and left for a later plan.
 */
export interface PlanReply {
  readonly vault: string;
  readonly id: string;
  readonly created: string;
  readonly note: string | null;
  readonly checks: readonly GardenCheck[];
  readonly suggestions: readonly SuggestionView[];
  readonly counts: Readonly<Partial<Record<SuggestionState, number>>>;
  readonly more: number;
}

/**
 * A suggestion of a plan. `why` says why it was refused, "" if it was not.
 *
 * One without an `edit` only shows something: it can be rejected, and not applied.
 */
export interface SuggestionView {
  readonly id: string;
  readonly check: GardenCheck;
  readonly path: string;
  readonly title: string;
  readonly evidence: string;
  readonly confidence: number;
  readonly edit: readonly SuggestedEdit[];
  readonly diff: string;
  readonly state: SuggestionState;
  readonly why: string;
}

/**
 * The changes of one note, whose content has the hash `hash`.
 *
 * `set` gives properties a value, `add` appends to lists, `swap` exchanges texts in a property.
 * `create` is the text of a new note, whose hash is "".
 */
export interface SuggestedEdit {
  readonly path: string;
  readonly hash: string;
  readonly text: readonly TextEdit[];
  readonly set: Readonly<Record<string, PropertyValue>>;
  readonly add: Readonly<Record<string, readonly string[]>>;
  readonly swap: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly create: string;
}

/** A text that becomes another. `start` is its offset below the properties of the note. */
export interface TextEdit {
  readonly line: number;
  readonly start: number;
  readonly old: string;
  readonly new: string;
}

/**
 * An estimate of what a plan with the language model would send now.
 *
 * `notes` are those that it would read of the `waiting` ones, `tokens` an estimate of what it
 * reads, and `answer_tokens` the most it may write. `dollars` is 0 on this computer (`local`) and
 * null where no price is known; prices are of the month `prices_of`. `sent` says what leaves.
 */
export interface GardenModelReply {
  readonly vault: string;
  readonly provider: string;
  readonly host: string;
  readonly local: boolean;
  readonly model: string;
  readonly notes: number;
  readonly waiting: number;
  readonly requests: number;
  readonly tokens: number;
  readonly answer_tokens: number;
  readonly dollars: number | null;
  readonly prices_of: string;
  readonly sent: string;
}

/** `GET /api/garden/plans`: The gardener's plans */
export interface PlansRequest extends OfVault {
  /** Maximum number of results */
  readonly limit?: number;
}

/** The plans of a vault, newest first, and the checks there are. */
export interface PlansReply {
  readonly vault: string;
  readonly plans: readonly PlanSummary[];
  readonly checks: readonly CheckView[];
}

/** A plan without its suggestions. */
export interface PlanSummary {
  readonly id: string;
  readonly created: string;
  readonly note: string | null;
  readonly checks: readonly GardenCheck[];
  readonly counts: Readonly<Partial<Record<SuggestionState, number>>>;
  readonly more: number;
}

/** A check: what it finds, and whether a plan has it that names no checks. */
export interface CheckView {
  readonly name: GardenCheck;
  readonly finds: string;
  readonly usual: boolean;
}

/** `GET /api/garden/plans/{id}`: One plan, with evidence and diff of each suggestion */
export interface PlanRequest extends OfVault {
  /** Id of the plan */
  readonly id: string;
}

/** `POST /api/garden/plans/{id}/apply`: Make the edits of a plan, or of some suggestions of it */
export interface ApplyPlan extends OfVault {
  /** Id of the plan */
  readonly id: string;
  /** Ids of suggestions; left out: all of the plan */
  readonly only?: readonly string[];
}

/**
 * The result of applying or undoing suggestions: `applied` are the ids of those done.
 *
 * `undo` is the number that takes all writes back, None if nothing was written.
 */
export interface GardenReply {
  readonly vault: string;
  readonly plan: string;
  readonly applied: readonly string[];
  readonly refused: readonly RefusedSuggestion[];
  readonly undo: number | null;
}

/** A suggestion that was left as it is, and why. */
export interface RefusedSuggestion {
  readonly id: string;
  readonly why: string;
}

/** `POST /api/garden/plans/{id}/reject`: Reject a plan, or some suggestions of it, for good */
export interface RejectPlan extends OfVault {
  /** Id of the plan */
  readonly id: string;
  /** Ids of suggestions; left out: all of the plan */
  readonly only?: readonly string[];
}

/** The suggestions that will not come again. `deleted`: nothing is left of the plan. */
export interface RejectReply {
  readonly vault: string;
  readonly plan: string;
  readonly rejected: readonly string[];
  readonly deleted: boolean;
}

/** `POST /api/garden/plans/{id}/undo`: Take back what was applied of a plan */
export interface UndoPlan extends OfVault {
  /** Id of the plan */
  readonly id: string;
  /** Ids of suggestions; left out: all of the plan */
  readonly only?: readonly string[];
}

/** `GET /api/garden/rejections`: Suggestions that were rejected, newest first */
export interface RejectionsRequest extends OfVault {
  /** Maximum number of results */
  readonly limit?: number;
}

/** The rejected suggestions, newest first; `total` counts all of them. */
export interface RejectionsReply {
  readonly vault: string;
  readonly rejections: readonly RejectionView[];
  readonly total: number;
}

/** A suggestion that a person said no to, and when; it does not come again. */
export interface RejectionView {
  readonly id: string;
  readonly check: GardenCheck;
  readonly path: string;
  readonly title: string;
  readonly at: string;
}

/** `POST /api/garden/rejections/forget`: Let suggestions that were rejected come again */
export interface ForgetRejections extends OfVault {
  /** Ids of rejected suggestions */
  readonly ids: readonly string[];
}

/** The conflict copies of a vault, by note. */
export interface ConflictsReply {
  readonly vault: string;
  readonly conflicts: readonly ConflictView[];
}

/** A conflict copy beside a note. `changed` and `copy_changed` say when each file was. */
export interface ConflictView {
  readonly path: string;
  readonly copy: string;
  readonly changed: string;
  readonly copy_changed: string;
}

/** `GET /api/conflict`: Two versions of a note, sentence by sentence */
export interface ConflictRequest extends OfVault {
  /** Vault-relative path */
  readonly path: string;
  /** The conflict copy beside it, or another note that says nearly the same */
  readonly other: string;
}

/**
 * Two versions of a note. `links` are the notes that link to the copy.
 *
 * `hash` and `copy_hash` are those of both files as they were read. `differences` counts the parts
 * that differ; `newer` says which file was changed later.
 */
export interface ConflictReply {
  readonly vault: string;
  readonly path: string;
  readonly copy: string;
  readonly hash: string;
  readonly copy_hash: string;
  readonly changed: string;
  readonly copy_changed: string;
  readonly newer: "note" | "copy";
  readonly differences: number;
  readonly parts: readonly ConflictPart[];
  readonly links: readonly string[];
}

/**
 * A stretch of two versions: `note` and `copy` are what each has of it.
 *
 * `both` stands in both, perhaps moved; `note` and `copy` in one alone. `differs` was changed in
 * one of them, and a person chooses. `line` is that of the note or else of the copy.
 */
export interface ConflictPart {
  readonly kind: PartKind;
  readonly note: string;
  readonly copy: string;
  readonly line: number;
}

/**
 * `POST /api/conflict/heal`: Make one note of two versions; 409 where one has changed since it was compared
 */
export interface HealConflict extends OfVault {
  /** Vault-relative path */
  readonly path: string;
  /** The conflict copy beside it, or another note that says nearly the same */
  readonly other: string;
  /** `hash` of the note as it was compared */
  readonly hash: string;
  /** `copy_hash`, of the copy */
  readonly other_hash: string;
  /** For each part that differs, in order: that of the note, of the copy, or both */
  readonly choices?: readonly KeptVersion[];
  /** Only show what would change */
  readonly dry_run?: boolean;
}

/**
 * The note that two versions became. `links` are the notes whose links lead to it now.
 *
 * `diff` is a unified diff of the note. `undo` is the number that takes all of it back, null where
 * nothing was written. `left` are notes with such a link that could not be changed.
 */
export interface HealReply {
  readonly vault: string;
  readonly path: string;
  readonly copy: string;
  readonly diff: string;
  readonly links: readonly string[];
  readonly left: readonly string[];
  readonly undo: number | null;
}

/** `GET /api/writes`: What Notewell wrote to a vault, newest first */
export interface WritesRequest extends OfVault {
  /** Maximum number of results */
  readonly limit?: number;
}

/** The newest writes to a vault, newest first. */
export interface WritesReply {
  readonly vault: string;
  readonly writes: readonly WriteView[];
}

/** One write. `number` identifies it; `action` says what it was, such as "memory store". */
export interface WriteView {
  readonly number: number;
  readonly at: string | null;
  readonly path: string;
  readonly action: string;
  readonly undone: boolean;
}

/** `POST /api/writes/undo`: Undo a write to a vault */
export interface UndoRequest extends OfVault {
  /** Left out, the newest write */
  readonly number?: number | null;
}

/**
 * The result of undoing. `undo` is the number that undoes it; None: nothing had to change.
 *
 * Writes that were made together are undone together: `paths` are all notes that were restored,
 * `path` is the first, and `refused` are those that have changed since.
 */
export interface UndoneReply {
  readonly vault: string;
  readonly path: string;
  readonly undo: number | null;
  readonly paths: readonly string[];
  readonly refused: readonly RefusedWrite[];
}

/**
 * `POST /api/ask`: Answer a question from the notes with the configured language model (server-sent events)
 */
export interface AskRequest extends OfVault {
  /** What to answer from the notes */
  readonly question: string;
  /** Id of a conversation to continue */
  readonly conversation?: string | null;
  /** Model of the configured provider; left out, the one in the settings, or the best */
  readonly model?: string | null;
  /** Reply at once with an id; GET /api/ask/{id} has the events, for who cannot stream */
  readonly stream?: "poll" | null;
  /** The client shows the person events `permission`, and sends what they decide */
  readonly may_ask?: boolean;
}

/** One event of the stream: its `id:`, its `event:` and the JSON of its `data:`. */
export interface AskEventReply {
  readonly id: number;
  readonly event: AskEventKind;
  readonly data: AskEventData;
}

/**
 * A notice of what the provider is sent, before it is. `local`: it stays on this computer.
 *
 * `conversation` is the id of the conversation that the question belongs to.
 */
export interface AskNotice {
  readonly provider: string;
  readonly host: string;
  readonly model: string;
  readonly local: boolean;
  readonly leaves: string;
  readonly conversation: string;
}

/** The notes found by keyword, shown before the model answers. */
export interface AskFound {
  readonly results: readonly Result[];
}

/**
 * A tool that the model used, and its outcome. `n` counts from 1.
 *
 * `code` and `output` are a program that was run and what it printed; null for other tools.
 */
export interface AskStep {
  readonly n: number;
  readonly tool: string;
  readonly about: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly output: string | null;
}

/**
 * A question to the person: whether the model may read the web page at `address`.
 *
 * `id` is sent back by `POST /api/ask/permit`. The page is requested only if it is allowed, and
 * not without an answer within two minutes.
 */
export interface AskPermission {
  readonly id: string;
  readonly address: string;
  readonly host: string;
}

/** A piece of the answer, as it arrives. `AskReply.answer` is the final text. */
export interface AskText {
  readonly text: string;
}

/**
 * An answer. `standalone` is the question as it was searched for, `asked` the time of asking.
 *
 * `grounded`: it cites the notes. `general`: it is the model's own knowledge. `partial`: it ended
 * early, for the reason in `warnings`. `cancelled` (only in conversations): it or the server was
 * stopped, and `answer` is what had arrived by then. `invalid` are citations of sources that do
 * not exist; they were removed from the answer.
 */
export interface AskReply {
  readonly question: string;
  readonly standalone: string;
  readonly vault: string;
  readonly conversation: string;
  readonly model: string;
  readonly answer: string;
  readonly sources: readonly AskSource[];
  readonly grounded: boolean;
  readonly general: boolean;
  readonly partial: boolean;
  readonly invalid: readonly number[];
  readonly steps: number;
  readonly warnings: readonly string[];
  readonly asked: string;
  readonly cancelled: boolean;
}

/**
 * A source, with the number that citations use. `cited`: the answer cites it. `uri` opens it.
 *
 * `line` (from 1) is that of the first passage the model was given; null where it was given the
 * whole note, or a web page.
 */
export interface AskSource {
  readonly n: number;
  readonly path: string;
  readonly title: string;
  readonly uri: string;
  readonly cited: boolean;
  readonly line: number | null;
}

/** The reason why there is no answer. */
export interface AskFailed {
  readonly code: string;
  readonly detail: string;
}

/** `GET /api/ask/models`: The language models of the configured provider, best first */
export interface AskModelsRequest extends OfVault {
  /** Ask the provider for a new list */
  readonly refresh?: boolean;
}

/** The models of the configured provider, best first; the list is `age_s` seconds old. */
export interface AskModelsReply {
  readonly provider: string;
  readonly host: string;
  readonly chosen: string | null;
  readonly budget_tokens: number | null;
  readonly age_s: number;
  readonly models: readonly ModelView[];
}

/** A model of the provider; limits in tokens. `rank` 1 is used if no model is named. */
export interface ModelView {
  readonly name: string;
  readonly rank: number;
  readonly input_limit: number;
  readonly output_limit: number | null;
  readonly known: boolean;
}

/** The programs found running on the server's computer. */
export interface LocalModelsReply {
  readonly found: readonly LocalModels[];
}

/** A program on the server's computer that serves language models; the best model first. */
export interface LocalModels {
  readonly server: LocalServer;
  readonly title: string;
  readonly address: string;
  readonly models: readonly string[];
}

/**
 * `POST /api/ask/use`: Answer questions with a language model that runs on the server's computer
 */
export interface UseLocalModelRequest extends OfVault {
  readonly server: LocalServer;
  /** One of its models; left out, the best */
  readonly model?: string | null;
}

/**
 * The service that answers questions now. `host` is null where nothing does.
 *
 * `service` is null for programs on the server's computer and for addresses of one's own. `model`
 * is null where the best is taken. `key`: where the key for it is; keys themselves are never told.
 * `keyring`: whether the server's computer can store one.
 */
export interface AskSetupReply {
  readonly service: ChatService | null;
  readonly host: string | null;
  readonly local: boolean;
  readonly model: string | null;
  readonly key: KeyPlace;
  readonly keyring: boolean;
  readonly services: readonly ChatServiceView[];
}

/** A service outside the server's computer, and the host that notes would be sent to. */
export interface ChatServiceView {
  readonly name: ChatService;
  readonly title: string;
  readonly host: string;
}

/** `POST /api/ask/setup`: Answer questions with a service, store its key, or answer none */
export interface ChangeAskSetupRequest extends OfVault {
  /** The service; null answers no questions */
  readonly service?: ChatService | null;
  /** The host of the service, as the person who agreed to send notes there read it */
  readonly host?: string | null;
  /** One of its models; left out, the best */
  readonly model?: string | null;
  /** Its key, for the keyring of the server's computer; an empty one is removed */
  readonly key?: string | null;
}

/** `GET /api/ask/conversation`: A stored conversation: its questions, answers and sources */
export interface ConversationRequest extends OfVault {
  /** Id of the conversation */
  readonly conversation: string;
}

/** A stored conversation: a turn for each question, oldest first. */
export interface AskConversationReply {
  readonly vault: string;
  readonly conversation: string;
  readonly turns: readonly AskReply[];
}

/** The stored conversations, the most recent first. */
export interface AskConversationsReply {
  readonly vault: string;
  readonly conversations: readonly AskConversationView[];
}

/** A stored conversation: its first question, and the time of its last one. */
export interface AskConversationView {
  readonly conversation: string;
  readonly question: string;
  readonly turns: number;
  readonly asked: string;
}

/** `POST /api/ask/forget`: Delete a stored conversation */
export interface ForgetConversationRequest extends OfVault {
  /** Id of the conversation */
  readonly conversation: string;
}

/** The conversation that was deleted. */
export interface AskForgottenReply {
  readonly vault: string;
  readonly conversation: string;
}

/** `POST /api/ask/save`: Save a conversation as a note */
export interface SaveConversationRequest extends OfVault {
  readonly conversation: string;
  /** Path of the new note */
  readonly path: string;
}

/** The note that a conversation was saved as. `undo` is the number that undoes the write. */
export interface AskSavedReply {
  readonly vault: string;
  readonly path: string;
  readonly undo: number | null;
}

/** `POST /api/ask/stop`: Stop an answer */
export interface StopAnswerRequest {
  /** Id of the answer */
  readonly id: string;
}

/** The answer that was stopped. */
export interface AskStoppedReply {
  readonly id: string;
}

/** `POST /api/ask/permit`: Allow a web page that an answer asks for, or refuse it */
export interface PermitAddressRequest extends OfVault {
  /** Id of the event's question */
  readonly id: string;
  /** Whether the page may be read */
  readonly allow: boolean;
}

/** The question about an address that was answered, and the answer. */
export interface AskPermittedReply {
  readonly id: string;
  readonly allowed: boolean;
}

/** `GET /api/ask/{id}`: The events of an answer after a number, waiting for the next one */
export interface AskEventsRequest {
  /** Id of the answer */
  readonly id: string;
  /** The last event that was received; 0 for none */
  readonly after?: number;
  /** Seconds to wait for an event */
  readonly wait?: number;
}

/**
 * The events of an answer that were asked for. `done`: no other event will come.
 *
 * The pieces of text that came together are one event, with the `id` of the last. An answer that
 * was stopped is `done` without an event `answer` or `error`.
 */
export interface AskEventsReply {
  readonly id: string;
  readonly events: readonly AskEventReply[];
  readonly done: boolean;
}

/** `POST /api/reindex`: Reindex the vault, or some of its notes */
export interface ReindexRequest extends OfVault {
  /** Read every note again, changed or not; embed renamed ones with their new title */
  readonly full?: boolean;
  /** Only these notes; empty: all that changed */
  readonly paths?: readonly string[];
}

/**
 * Work that was accepted; it is visible in a generation after this one.
 *
 * `warnings` name what was not accepted, and why.
 */
export interface AcceptedReply {
  readonly accepted: number;
  readonly generation: number;
  readonly warnings: readonly string[];
}

/**
 * One change to a file or a folder.
 *
 * `mtime` is in milliseconds since 1970. `content` is the text of the note, from clients of
 * a mirror.
 */
export interface Change {
  readonly kind: ChangeKind;
  /** Vault-relative path of a file or a folder */
  readonly path: string;
  /** Path before a rename */
  readonly old_path?: string | null;
  readonly mtime?: number | null;
  /** Text of the note, for a mirror only */
  readonly content?: string | null;
}

/** `POST /api/changes`: Report notes and folders that changed */
export interface ChangesRequest extends OfVault {
  /** In the order in which they happened */
  readonly changes: readonly Change[];
}

/** `POST /api/sync`: Compare a client's list of files with the server's */
export interface SyncRequest extends OfVault {
  /** All files the client has: [path, bytes, mtime in ms] */
  readonly files: readonly (readonly [string, number, number])[];
}

/**
 * A client's list of files compared with what the server has.
 *
 * `need` are files that the server lacks or has in another version, newest first; `gone` are those
 * that the client no longer has. `guard`: so many are gone at once that nothing is removed until
 * a person confirms it.
 */
export interface SyncReply {
  readonly need: readonly string[];
  readonly gone: readonly string[];
  readonly guard: boolean;
}

/** `GET /api/changes`: Notes that the server wrote to a mirror, for clients to apply */
export interface ServerWritesRequest extends OfVault {
  /** Only writes with a higher number */
  readonly after?: number;
  /** Maximum number of notes */
  readonly limit?: number;
}

/** Notes for clients of a mirror to apply, oldest first; `waiting` counts all of them. */
export interface ServerWritesReply {
  readonly changes: readonly ServerWriteView[];
  readonly waiting: number;
}

/**
 * A note of a mirror that the server has written and no client has confirmed.
 *
 * `hash` is the SHA-256 of its bytes, in hexadecimal, None where it was deleted; `base_hash` that
 * of the version which clients have, None where they have no such note. A client whose own note
 * differs from `base_hash` has changed it too: it sends its version, and the server keeps both.
 */
export interface ServerWriteView {
  readonly number: number;
  readonly kind: "create" | "modify" | "delete";
  readonly path: string;
  readonly content: string | null;
  readonly hash: string | null;
  readonly base_hash: string | null;
}

/** A note that a client has applied: the `hash` it was told, None for a deleted note. */
export interface ConfirmedWrite {
  /** Vault-relative path */
  readonly path: string;
  readonly hash?: string | null;
  readonly mtime?: number | null;
}

/** `POST /api/changes/confirm`: Confirm that notes of the server were applied */
export interface ConfirmWritesRequest extends OfVault {
  /** What was applied */
  readonly confirmed: readonly ConfirmedWrite[];
}

/** `POST /api/guard`: Decide whether notes that disappeared all at once are removed */
export interface GuardRequest extends OfVault {
  /** Remove the notes that disappeared */
  readonly remove: boolean;
}

/** `GET /api/runs`: What works on a vault, and what did */
export interface RunsRequest extends OfVault {
  /** Maximum number of results */
  readonly limit?: number;
}

/** The runs of a vault, newest first, and those that are due next, the first of them first. */
export interface RunsReply {
  readonly vault: string;
  readonly runs: readonly RunView[];
  readonly next: readonly NextRun[];
}

/** One run. `counts` say what it did, by words that depend on `kind`; `errors` are the first. */
export interface RunView {
  readonly id: string;
  readonly kind: RunKind;
  readonly trigger: Trigger;
  readonly started: string | null;
  readonly ended: string | null;
  readonly result: RunResult;
  readonly counts: Readonly<Record<string, number>>;
  readonly errors: readonly RunError[];
}

/** Something that went wrong in a run; `path` is the note, None if it was none in particular. */
export interface RunError {
  readonly path: string | null;
  readonly why: string;
}

/** `GET /api/runs/{id}`: One run: what started it, what it did, its first errors */
export interface RunRequest extends OfVault {
  /** Id of the run */
  readonly id: string;
}

/** `POST /api/runs/{id}/cancel`: Stop a run at its next item; what it has done stays */
export interface CancelRun extends OfVault {
  /** Id of the run */
  readonly id: string;
}

/**
 * The phone index of a vault: whether it is on, the file that is there, and what it would be.
 *
 * `path` is where in the vault the file is, `place` where on the server's computer. `bytes`: null
 * where none is there. `table_bytes` of it are its table for queries. `problem` says why it is
 * not used or cannot be written. `expected`: null where the vault has no vectors yet.
 */
export interface PhoneIndexReply {
  readonly vault: string;
  readonly on: boolean;
  readonly path: string;
  readonly place: string;
  readonly bytes: number | null;
  readonly written: string | null;
  readonly notes: number;
  readonly passages: number;
  readonly dimensions: number;
  readonly table_bytes: number;
  readonly problem: string | null;
  readonly expected: PhoneIndexSize | null;
}

/**
 * The size of a file written now, nearly: in the vault, and in a phone's memory.
 *
 * `table_bytes` of it are the table by which queries are understood without a model; 0: none was
 * fitted yet, or it does not fit. `shortened` says what is left out so that it fits; null:
 * nothing.
 */
export interface PhoneIndexSize {
  readonly bytes: number;
  readonly notes: number;
  readonly passages: number;
  readonly dimensions: number;
  readonly table_bytes: number;
  readonly shortened: string | null;
}

/**
 * `POST /api/phone-index`: Write the phone index into the vault and keep it up to date, or delete it
 */
export interface SwitchPhoneIndex extends OfVault {
  /** Whether the file is written */
  readonly on: boolean;
}

/** `POST /api/context`: Text for a language model to answer from, within a budget of tokens */
export interface ContextRequest extends OfVault {
  /** The question, as a query */
  readonly q: string;
  /** Maximum number of tokens */
  readonly budget_tokens?: number;
  /** Maximum number of notes */
  readonly sources?: number;
  /** Use the rest of the budget for passages of lower-ranked notes */
  readonly fill?: boolean;
  /** Search by keyword, by meaning, or by both ranked together */
  readonly mode?: SearchMode;
  /** Read the query as plain text, without operators */
  readonly plain?: boolean;
  /** Client that searches, for the log; null is not logged */
  readonly door?: string | null;
}

/**
 * Text for a language model, and the numbered notes it was made of.
 *
 * `tokens` are those of `text`, never more than `budget_tokens`; `tokenizer` names what counted
 * them, `estimate` where no model is on this computer. `left_out` counts notes that were found,
 * but scored too low or did not fit. `confidence` (0..1): how likely anything here is an answer.
 */
export interface ContextReply {
  readonly query: string;
  readonly vault: string;
  readonly generation: number;
  readonly budget_tokens: number;
  readonly tokens: number;
  readonly tokenizer: string;
  readonly text: string;
  readonly sources: readonly ContextSource[];
  readonly left_out: number;
  readonly confidence: number | null;
  readonly warnings: readonly string[];
}

/**
 * A note in the context: its number there, and how much of it was taken.
 *
 * `line` is that of the best match; `tokens` are those of the note's block.
 */
export interface ContextSource {
  readonly n: number;
  readonly path: string;
  readonly title: string;
  readonly heading: string | null;
  readonly line: number;
  readonly score: number;
  readonly detail: Detail;
  readonly tokens: number;
  readonly uri: string;
}

/** All namespaces of a vault, and the folders below which documents may be added. */
export interface DocumentsReply {
  readonly vault: string;
  readonly namespaces: readonly DocumentNamespace[];
  readonly allowed: readonly string[];
}

/**
 * A namespace and what is indexed of it. Its documents have paths that begin with `path`.
 *
 * `files` are those with passages to search, `waiting` are not read yet, `failed` could not be
 * read; `/api/ledger?path=` tells why.
 */
export interface DocumentNamespace {
  readonly name: string;
  readonly path: string;
  readonly places: readonly DocumentPlace[];
  readonly files: number;
  readonly chunks: number;
  readonly waiting: number;
  readonly failed: number;
}

/** A folder or file of a namespace: its `path` in the index, its `place` on the computer. */
export interface DocumentPlace {
  readonly path: string;
  readonly place: string;
  readonly recursive: boolean;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** `POST /api/documents`: Index a file or folder outside the vault with it, to read only */
export interface AddDocuments extends OfVault {
  /** The whole path of a file or folder on the server */
  readonly place: string;
  /** Namespace of the documents */
  readonly namespace?: string;
  /** Read folders within the folder */
  readonly recursive?: boolean;
  /** Only files that match one of these globs */
  readonly include?: readonly string[];
  /** No files that match one of these globs */
  readonly exclude?: readonly string[];
  /** Seconds to wait until the files are read */
  readonly wait?: number;
}

/**
 * The state of a file or folder that was added, so far.
 *
 * `chunks_created` counts passages whose text the index did not have, `duplicates` those that it
 * had, from this place or from a file with the same content. `chunk_ids` are the first ids of
 * both. `waiting` files are still to be read: the `job` is done when a list of documents has
 * none waiting for its `path`.
 */
export interface AddedReply {
  readonly vault: string;
  readonly namespace: string;
  readonly path: string;
  readonly files: number;
  readonly waiting: number;
  readonly failed: number;
  readonly chunks_created: number;
  readonly chunk_ids: readonly string[];
  readonly duplicates: number;
  readonly job: string;
}

/** `DELETE /api/documents`: Take a namespace of documents out of the index, or what is in it */
export interface RemoveDocuments extends OfVault {
  /** Namespace of the documents */
  readonly namespace: string;
  /** Keep the namespace, without documents */
  readonly keep?: boolean;
}

/** All sources. */
export interface SourcesReply {
  readonly sources: readonly SourceView[];
}

/**
 * A source: the vault that its notes are in, and how the last sync ended.
 *
 * `state` is `new` before the first sync, `incomplete` where some pages could not be read, `held`
 * where so many pages are missing that a person has to confirm it, and `failed` with an `error`.
 * `held` counts those pages. `place` is the file, folder or graph.
 */
export interface SourceView {
  readonly id: string;
  readonly name: string;
  readonly kind: SourceKind;
  readonly vault: string;
  readonly place: string;
  readonly last: string | null;
  readonly state: SourceStatus;
  readonly error: string | null;
  readonly held: number;
}

/** `POST /api/sources`: Add an export or a Logseq graph as a vault that is only read */
export interface AddSource {
  /** The whole path of a file or folder on the server */
  readonly place: string;
  /** Name of the vault; by default that of the file */
  readonly name?: string;
  /** Name of the graph, for links that open it */
  readonly graph?: string;
}

/** `POST /api/sources/{id}/sync`: Bring the notes of a source up to date */
export interface SyncSource {
  /** Id or name of the source */
  readonly id: string;
  /** Remove pages that are gone, also if they are very many */
  readonly remove_missing?: boolean;
}

/** A sync that has begun: `GET /api/runs/{run}` of the vault tells how far it is. */
export interface SourceSyncReply {
  readonly vault: string;
  readonly run: string;
}

/** `DELETE /api/sources`: Forget a source with its notes here */
export interface RemoveSource {
  /** Id or name of the source */
  readonly id: string;
}

/** The caller: the name of its device, and what it may do. */
export interface SessionReply {
  readonly name: string;
  readonly scope: DeviceScope;
}

/** `POST /api/pair`: Make a one-time link that lets one device in, valid for ten minutes */
export interface PairRequest {
  /** What the device may do; never administration */
  readonly scope?: "read" | "write";
  /** Where the device reaches the server, if `server.public_url` does not say it */
  readonly address?: string | null;
}

/**
 * A one-time link: `url` for a browser, `obsidian` for the plugin, with the same `code`.
 *
 * `expires` is ISO 8601. `qr` is the QR code of `url`, an SVG image as a `data:` address.
 * `loopback`: only the server's own computer reaches `url`.
 */
export interface PairReply {
  readonly url: string;
  readonly obsidian: string;
  readonly code: string;
  readonly expires: string;
  readonly scope: "read" | "write";
  readonly qr: string;
  readonly loopback: boolean;
}

/** The number of one-time links that were open, and are not valid any more. */
export interface PairCancelReply {
  readonly cancelled: number;
}

/** `POST /api/pair/redeem`: Exchange the code of a one-time link for a device's token */
export interface RedeemRequest {
  /** The code in the link */
  readonly code: string;
  /** What the device is called in the list */
  readonly name: string;
}

/** The token of the new device, shown only here, and the name under which it is listed. */
export interface RedeemReply {
  readonly token: string;
  readonly device: string;
}

/**
 * All devices with access, in the order in which they were added.
 *
 * Not `shared`: the server lets in only the program that started it.
 */
export interface DevicesReply {
  readonly devices: readonly DeviceView[];
  readonly shared: boolean;
}

/**
 * A device or program with access. Times are ISO 8601; `last_used` is null before first use.
 *
 * `kind` is "browser" for one that a link signed in, which has no token. `current`: the caller.
 */
export interface DeviceView {
  readonly id: string;
  readonly name: string;
  readonly scope: DeviceScope;
  readonly kind: "token" | "browser";
  readonly created: string;
  readonly last_used: string | null;
  readonly current: boolean;
}

/** `DELETE /api/devices`: End the access of a device, at once */
export interface RevokeDevice {
  /** The device's id */
  readonly id: string;
}

/** `GET /api/audit`: The audit log: sign-ins, changes and refused requests, newest first */
export interface AuditRequest {
  /** How many entries at most */
  readonly limit?: number;
}

/** The newest entries, newest first, and the folder with the files they come from. */
export interface AuditReply {
  readonly folder: string | null;
  readonly entries: readonly AuditEntry[];
}

/**
 * A sign-in, a change, or a refused request.
 *
 * `what` is how somebody signed in, or method and route of a request; never a query or the path
 * of a note. `by` is the caller's name, null for a stranger. `status` is the HTTP status of a
 * change, `code` the reason of a refusal.
 */
export interface AuditEntry {
  readonly at: string;
  readonly event: "signed_in" | "changed" | "refused";
  readonly what: string;
  readonly by: string | null;
  readonly scope: DeviceScope | null;
  readonly address: string;
  readonly status: number | null;
  readonly code: string | null;
}

/** `GET /api/models`. `answering` is the model in use, null while there is none. */
export interface CatalogueReply {
  readonly vault: string;
  readonly configured: string;
  readonly answering: string | null;
  readonly models: readonly CatalogueModel[];
}

/**
 * A model of the catalogue. `present`: it is downloaded.
 *
 * `time` is how long a passage takes, where the default model takes 1; null: not measured.
 * `quality` is nDCG@10 by meaning alone, by language code (docs/models.md); empty: not measured.
 */
export interface CatalogueModel {
  readonly name: string;
  readonly dimensions: number;
  readonly max_tokens: number;
  readonly languages: readonly string[];
  readonly licence: string;
  readonly download_mb: number;
  readonly runtime: string;
  readonly configured: boolean;
  readonly present: boolean;
  readonly time: number | null;
  readonly quality: Readonly<Record<string, number>>;
}

/**
 * `GET /api/models/suggest`. `suggestion` is null if the configured model reads the notes.
 *
 * `languages` are estimated from scripts and common words. `service` is set for a model behind an
 * API. `further_models` are models that read the same languages and are better by their authors'
 * figures, which we have not measured.
 */
export interface SuggestReply {
  readonly vault: string;
  readonly model: string;
  readonly languages: readonly LanguageShare[];
  readonly suggestion: SuggestedModel | null;
  readonly service: ServiceCost | null;
  readonly further_models: readonly SuggestedModel[];
}

/** The share, 0..1, of notes in a language: its ISO 639-1 code and its English name. */
export interface LanguageShare {
  readonly code: string;
  readonly name: string;
  readonly share: number;
}

/** A model that reads the vault better. `minutes` estimates how long embedding takes here. */
export interface SuggestedModel {
  readonly name: string;
  readonly download_mb: number;
  readonly minutes: number;
  readonly reason: string;
}

/**
 * Amount and cost of what is sent to embed the whole vault by the configured service.
 *
 * `sent` says it in words; `allowed`: whether a person has allowed the host. `dollars` is null
 * where the price is not known; `prices_of` is the month of the prices.
 */
export interface ServiceCost {
  readonly host: string;
  readonly allowed: boolean;
  readonly sent: string;
  readonly passages: number;
  readonly tokens: number;
  readonly dollars: number | null;
  readonly prices_of: string;
}

/**
 * `POST /api/models/allow`: Allow sending notes to the host of the configured service, or forbid it
 */
export interface AllowHostRequest extends OfVault {
  /** The host that models/suggest names */
  readonly host: string;
  /** Allow it; false forbids it */
  readonly allowed?: boolean;
}

/** A host, and whether notes may be sent to it now. */
export interface AllowedHostReply {
  readonly vault: string;
  readonly host: string;
  readonly allowed: boolean;
}

/** `GET /api/stats`: Statistics of a vault: types, folders, tags, months, sizes, vectors */
export interface StatsRequest extends OfVault {
  /** Maximum length of each list */
  readonly limit?: number;
}

/**
 * `GET /api/stats`. Names come with the most notes first, months in order.
 *
 * A note tagged `a/b` counts for `a` and for `a/b`; folders are top-level folders.
 */
export interface StatsReply {
  readonly vault: string;
  readonly generation: number;
  readonly notes: number;
  readonly chunks: number;
  readonly links: number;
  readonly files: Readonly<Partial<Record<LedgerState, number>>>;
  readonly sizes: Sizes;
  readonly types: readonly NamedCount[];
  readonly folders: readonly NamedCount[];
  readonly tags: readonly NamedCount[];
  readonly months: readonly MonthCount[];
  readonly models: readonly ModelVectors[];
  readonly model_work: ModelWorkDone;
}

/** Bytes: of all notes, of the median note, and of the index on disk. */
export interface Sizes {
  readonly notes: number;
  readonly median_note: number;
  readonly index: number;
  readonly largest: readonly SizedNote[];
}

/** A note and the size of its file in bytes. */
export interface SizedNote {
  readonly path: string;
  readonly bytes: number;
}

/** Number of notes with a type, folder or tag; `name` is null for notes without one. */
export interface NamedCount {
  readonly name: string | null;
  readonly notes: number;
}

/** Notes created and last modified in a month, such as `2026-03` (UTC). */
export interface MonthCount {
  readonly month: string;
  readonly created: number;
  readonly modified: number;
}

/** The stored vectors of a model, whether they are needed now or not. */
export interface ModelVectors {
  readonly model: string;
  readonly quantisation: string;
  readonly dimensions: number;
  readonly vectors: number;
  readonly answering: boolean;
}

/**
 * Work of the model for the index in its whole life.
 *
 * `embedded` counts texts sent to the model, `seconds` is the time they took, `reused` counts
 * passages whose vectors were there already, `saved_s` is the time that these would have taken.
 */
export interface ModelWorkDone {
  readonly embedded: number;
  readonly reused: number;
  readonly seconds: number;
  readonly saved_s: number;
}

/** `GET /api/config`: The settings, what set each, and which may be changed here */
export interface ConfigRequest extends OfVault {
  /** Only settings of this section, such as search */
  readonly section?: string;
}

/**
 * `GET` and `PATCH /api/config`. `restart`: some values apply after a restart only.
 *
 * `types` has what each setting takes. The settings `confirmable` are not `writable`, and this
 * caller may change them all the same with `confirmed`. Changed settings of `search` apply to the
 * next search.
 */
export interface ConfigReply {
  readonly vault: string;
  readonly file: string | null;
  readonly restart: boolean;
  readonly settings: readonly SettingView[];
  readonly types: Readonly<Record<string, SettingType>>;
  readonly confirmable: readonly string[];
}

/**
 * A setting. `running` applies now, `value` from the next start on; `source` set `value`.
 *
 * `reason` says why it is not `writable` here.
 */
export interface SettingView {
  readonly key: string;
  readonly value: SettingValue;
  readonly running: SettingValue;
  readonly default: SettingValue;
  readonly source: SettingSource;
  readonly writable: boolean;
  readonly reason: string | null;
}

/**
 * What a setting takes, so that a page can offer it: `words` are the values of a `choice`.
 *
 * A `folder` is one of the vault. A `table` has names with values.
 */
export interface SettingType {
  readonly kind: "switch" | "choice" | "number" | "text" | "list" | "table" | "folder" | "folders";
  readonly words: readonly string[];
}

/** `PATCH /api/config`: Change settings in the configuration file; the next start uses them */
export interface ChangeConfigRequest extends OfVault {
  /** Settings by their keys, such as search.passages; null removes one from the file */
  readonly changes: Readonly<Record<string, NewValue>>;
  /**
   * A person at the server's computer was asked, and agrees: allows the settings that the reply lists as confirmable
   */
  readonly confirmed?: boolean;
}

/** `GET /api/events`: The events of a vault, as server-sent events */
export interface EventsRequest extends OfVault {
  /** Id of the last event received; also as the header Last-Event-ID */
  readonly after?: number;
}

/** One event of the stream: its `id:`, its `event:` and the JSON of its `data:`. */
export interface EventReply {
  readonly id: number;
  readonly event: "generation" | "progress" | "ledger" | "state";
  readonly data: Readonly<Record<string, PropertyValue>>;
}

/** The parameters and the reply of each route; of a stream, the type of its events. */
export interface Routes {
  readonly "GET /api/health": { readonly parameters: Record<never, never>; readonly reply: HealthReply };
  readonly "GET /api/vaults": { readonly parameters: Record<never, never>; readonly reply: VaultsReply };
  readonly "POST /api/vaults": { readonly parameters: AddVault; readonly reply: VaultsReply };
  readonly "DELETE /api/vaults": { readonly parameters: RemoveVault; readonly reply: VaultsReply };
  readonly "GET /api/status": { readonly parameters: OfVault; readonly reply: StatusReply };
  readonly "GET /api/search": { readonly parameters: SearchRequest; readonly reply: SearchReply };
  readonly "GET /api/similar": { readonly parameters: SimilarRequest; readonly reply: SearchReply };
  readonly "POST /api/similar": { readonly parameters: SimilarTextRequest; readonly reply: SearchReply };
  readonly "GET /api/note/around": { readonly parameters: AroundRequest; readonly reply: AroundReply };
  readonly "GET /api/note": { readonly parameters: NoteRequest; readonly reply: NoteReply };
  readonly "POST /api/note/properties": { readonly parameters: EditProperties; readonly reply: PropertiesReply };
  readonly "POST /api/note/properties/batch": { readonly parameters: EditPropertiesBatch; readonly reply: PropertiesBatchReply };
  readonly "POST /api/note/edit": { readonly parameters: EditNote; readonly reply: EditReply };
  readonly "GET /api/base": { readonly parameters: BaseRequest; readonly reply: BaseReply };
  readonly "GET /api/bookmarks": { readonly parameters: OfVault; readonly reply: BookmarksReply };
  readonly "GET /api/graph/neighbors": { readonly parameters: NeighborsRequest; readonly reply: NeighborsReply };
  readonly "GET /api/graph/neighborhood": { readonly parameters: NeighborhoodRequest; readonly reply: NeighborhoodReply };
  readonly "GET /api/graph/path": { readonly parameters: PathRequest; readonly reply: PathReply };
  readonly "GET /api/graph/hubs": { readonly parameters: HubsRequest; readonly reply: HubsReply };
  readonly "GET /api/graph/stats": { readonly parameters: GraphStatsRequest; readonly reply: GraphStatsReply };
  readonly "GET /api/graph/bridges": { readonly parameters: BridgesRequest; readonly reply: BridgesReply };
  readonly "GET /api/graph/communities": { readonly parameters: CommunitiesRequest; readonly reply: CommunitiesReply };
  readonly "GET /api/graph/orphans": { readonly parameters: OrphansRequest; readonly reply: OrphansReply };
  readonly "GET /api/graph/dangling": { readonly parameters: DanglingRequest; readonly reply: DanglingReply };
  readonly "GET /api/graph/missing": { readonly parameters: MissingLinksRequest; readonly reply: MissingLinksReply };
  readonly "GET /api/archaeology": { readonly parameters: ArchaeologyRequest; readonly reply: ArchaeologyReply };
  readonly "GET /api/diagnose": { readonly parameters: DiagnoseRequest; readonly reply: Diagnosis };
  readonly "GET /api/companions": { readonly parameters: CompanionsRequest; readonly reply: CompanionsReply };
  readonly "GET /api/evidence": { readonly parameters: EvidenceRequest; readonly reply: EvidenceReply };
  readonly "GET /api/questions": { readonly parameters: OfVault; readonly reply: QuestionsReply };
  readonly "POST /api/questions": { readonly parameters: AddQuestion; readonly reply: QuestionsReply };
  readonly "POST /api/questions/shown": { readonly parameters: QuestionShown; readonly reply: QuestionsReply };
  readonly "DELETE /api/questions": { readonly parameters: RemoveQuestion; readonly reply: QuestionsReply };
  readonly "GET /api/open-ends": { readonly parameters: OpenEndsRequest; readonly reply: OpenEndsReply };
  readonly "POST /api/open-ends/dismiss": { readonly parameters: DismissOpenEnd; readonly reply: OpenEndsReply };
  readonly "GET /api/history": { readonly parameters: HistoryRequest; readonly reply: HistoryReply };
  readonly "GET /api/complete": { readonly parameters: CompleteRequest; readonly reply: CompleteReply };
  readonly "GET /api/ledger": { readonly parameters: LedgerRequest; readonly reply: LedgerReply };
  readonly "POST /api/opened": { readonly parameters: OpenedRequest; readonly reply: OpenedReply };
  readonly "POST /api/verdict": { readonly parameters: VerdictRequest; readonly reply: VerdictReply };
  readonly "GET /api/log": { readonly parameters: LogRequest; readonly reply: LogReply };
  readonly "POST /api/log/clear": { readonly parameters: ClearLogRequest; readonly reply: ClearedReply };
  readonly "POST /api/tune": { readonly parameters: TuneRequest; readonly reply: TuneReply };
  readonly "POST /api/memory/store": { readonly parameters: StoreMemory; readonly reply: MemoryChangedReply };
  readonly "GET /api/memory/recall": { readonly parameters: RecallMemories; readonly reply: RecallReply };
  readonly "GET /api/memory/context": { readonly parameters: MemoryContext; readonly reply: MemoryContextReply };
  readonly "POST /api/memory/apply": { readonly parameters: ApplyMemory; readonly reply: MemoryChangedReply };
  readonly "POST /api/memory/outcome": { readonly parameters: MemoryOutcome; readonly reply: MemoryChangedReply };
  readonly "POST /api/memory/forget": { readonly parameters: ForgetMemory; readonly reply: MemoryForgottenReply };
  readonly "POST /api/memory/relate": { readonly parameters: RelateMemories; readonly reply: MemoryChangedReply };
  readonly "POST /api/memory/unrelate": { readonly parameters: UnrelateMemories; readonly reply: MemoryChangedReply };
  readonly "GET /api/memory/inspect": { readonly parameters: InspectMemory; readonly reply: MemoryInspectReply };
  readonly "GET /api/memory/list": { readonly parameters: ListMemories; readonly reply: MemoryListReply };
  readonly "GET /api/memory/history": { readonly parameters: MemoryHistory; readonly reply: MemoryHistoryReply };
  readonly "GET /api/memory/health": { readonly parameters: MemoryHealth; readonly reply: MemoryHealthReply };
  readonly "GET /api/topics": { readonly parameters: OfVault; readonly reply: TopicsReply };
  readonly "POST /api/topics/check": { readonly parameters: OfVault; readonly reply: TopicCheckReply };
  readonly "POST /api/gleanings/extract": { readonly parameters: ExtractGleanings; readonly reply: ExtractReply };
  readonly "GET /api/gleanings": { readonly parameters: GleaningsRequest; readonly reply: GleaningsReply };
  readonly "GET /api/gleanings/stats": { readonly parameters: OfVault; readonly reply: GleaningStatsReply };
  readonly "GET /api/gleanings/{id}": { readonly parameters: GleaningRequest; readonly reply: GleaningReply };
  readonly "POST /api/gleanings/{id}/status": { readonly parameters: MarkGleaning; readonly reply: GleaningReply };
  readonly "POST /api/gleanings/maintain": { readonly parameters: MaintainGleanings; readonly reply: MaintainReply };
  readonly "POST /api/garden/plans": { readonly parameters: MakePlan; readonly reply: PlanReply };
  readonly "GET /api/garden/model": { readonly parameters: OfVault; readonly reply: GardenModelReply };
  readonly "GET /api/garden/plans": { readonly parameters: PlansRequest; readonly reply: PlansReply };
  readonly "GET /api/garden/plans/{id}": { readonly parameters: PlanRequest; readonly reply: PlanReply };
  readonly "POST /api/garden/plans/{id}/apply": { readonly parameters: ApplyPlan; readonly reply: GardenReply };
  readonly "POST /api/garden/plans/{id}/reject": { readonly parameters: RejectPlan; readonly reply: RejectReply };
  readonly "POST /api/garden/plans/{id}/undo": { readonly parameters: UndoPlan; readonly reply: GardenReply };
  readonly "GET /api/garden/rejections": { readonly parameters: RejectionsRequest; readonly reply: RejectionsReply };
  readonly "POST /api/garden/rejections/forget": { readonly parameters: ForgetRejections; readonly reply: RejectionsReply };
  readonly "GET /api/conflicts": { readonly parameters: OfVault; readonly reply: ConflictsReply };
  readonly "GET /api/conflict": { readonly parameters: ConflictRequest; readonly reply: ConflictReply };
  readonly "POST /api/conflict/heal": { readonly parameters: HealConflict; readonly reply: HealReply };
  readonly "GET /api/writes": { readonly parameters: WritesRequest; readonly reply: WritesReply };
  readonly "POST /api/writes/undo": { readonly parameters: UndoRequest; readonly reply: UndoneReply };
  readonly "POST /api/ask": { readonly parameters: AskRequest; readonly reply: AskEventReply };
  readonly "GET /api/ask/models": { readonly parameters: AskModelsRequest; readonly reply: AskModelsReply };
  readonly "GET /api/ask/local": { readonly parameters: Record<never, never>; readonly reply: LocalModelsReply };
  readonly "POST /api/ask/use": { readonly parameters: UseLocalModelRequest; readonly reply: AskModelsReply };
  readonly "GET /api/ask/setup": { readonly parameters: OfVault; readonly reply: AskSetupReply };
  readonly "POST /api/ask/setup": { readonly parameters: ChangeAskSetupRequest; readonly reply: AskSetupReply };
  readonly "GET /api/ask/conversation": { readonly parameters: ConversationRequest; readonly reply: AskConversationReply };
  readonly "GET /api/ask/conversations": { readonly parameters: OfVault; readonly reply: AskConversationsReply };
  readonly "POST /api/ask/forget": { readonly parameters: ForgetConversationRequest; readonly reply: AskForgottenReply };
  readonly "POST /api/ask/save": { readonly parameters: SaveConversationRequest; readonly reply: AskSavedReply };
  readonly "POST /api/ask/stop": { readonly parameters: StopAnswerRequest; readonly reply: AskStoppedReply };
  readonly "POST /api/ask/permit": { readonly parameters: PermitAddressRequest; readonly reply: AskPermittedReply };
  readonly "GET /api/ask/{id}": { readonly parameters: AskEventsRequest; readonly reply: AskEventsReply };
  readonly "POST /api/reindex": { readonly parameters: ReindexRequest; readonly reply: AcceptedReply };
  readonly "POST /api/changes": { readonly parameters: ChangesRequest; readonly reply: AcceptedReply };
  readonly "POST /api/sync": { readonly parameters: SyncRequest; readonly reply: SyncReply };
  readonly "GET /api/changes": { readonly parameters: ServerWritesRequest; readonly reply: ServerWritesReply };
  readonly "POST /api/changes/confirm": { readonly parameters: ConfirmWritesRequest; readonly reply: AcceptedReply };
  readonly "POST /api/queue/pause": { readonly parameters: OfVault; readonly reply: AcceptedReply };
  readonly "POST /api/queue/resume": { readonly parameters: OfVault; readonly reply: AcceptedReply };
  readonly "POST /api/queue/retry": { readonly parameters: OfVault; readonly reply: AcceptedReply };
  readonly "POST /api/queue/cancel": { readonly parameters: OfVault; readonly reply: AcceptedReply };
  readonly "POST /api/guard": { readonly parameters: GuardRequest; readonly reply: AcceptedReply };
  readonly "GET /api/runs": { readonly parameters: RunsRequest; readonly reply: RunsReply };
  readonly "GET /api/runs/{id}": { readonly parameters: RunRequest; readonly reply: RunView };
  readonly "POST /api/runs/{id}/cancel": { readonly parameters: CancelRun; readonly reply: RunView };
  readonly "GET /api/phone-index": { readonly parameters: OfVault; readonly reply: PhoneIndexReply };
  readonly "POST /api/phone-index": { readonly parameters: SwitchPhoneIndex; readonly reply: PhoneIndexReply };
  readonly "POST /api/context": { readonly parameters: ContextRequest; readonly reply: ContextReply };
  readonly "GET /api/documents": { readonly parameters: OfVault; readonly reply: DocumentsReply };
  readonly "POST /api/documents": { readonly parameters: AddDocuments; readonly reply: AddedReply };
  readonly "DELETE /api/documents": { readonly parameters: RemoveDocuments; readonly reply: DocumentsReply };
  readonly "GET /api/sources": { readonly parameters: Record<never, never>; readonly reply: SourcesReply };
  readonly "POST /api/sources": { readonly parameters: AddSource; readonly reply: SourceView };
  readonly "POST /api/sources/{id}/sync": { readonly parameters: SyncSource; readonly reply: SourceSyncReply };
  readonly "DELETE /api/sources": { readonly parameters: RemoveSource; readonly reply: SourcesReply };
  readonly "GET /api/session": { readonly parameters: Record<never, never>; readonly reply: SessionReply };
  readonly "POST /api/pair": { readonly parameters: PairRequest; readonly reply: PairReply };
  readonly "POST /api/pair/cancel": { readonly parameters: Record<never, never>; readonly reply: PairCancelReply };
  readonly "POST /api/pair/redeem": { readonly parameters: RedeemRequest; readonly reply: RedeemReply };
  readonly "GET /api/devices": { readonly parameters: Record<never, never>; readonly reply: DevicesReply };
  readonly "DELETE /api/devices": { readonly parameters: RevokeDevice; readonly reply: DevicesReply };
  readonly "GET /api/audit": { readonly parameters: AuditRequest; readonly reply: AuditReply };
  readonly "GET /api/models": { readonly parameters: OfVault; readonly reply: CatalogueReply };
  readonly "GET /api/models/suggest": { readonly parameters: OfVault; readonly reply: SuggestReply };
  readonly "POST /api/models/allow": { readonly parameters: AllowHostRequest; readonly reply: AllowedHostReply };
  readonly "GET /api/stats": { readonly parameters: StatsRequest; readonly reply: StatsReply };
  readonly "GET /api/config": { readonly parameters: ConfigRequest; readonly reply: ConfigReply };
  readonly "PATCH /api/config": { readonly parameters: ChangeConfigRequest; readonly reply: ConfigReply };
  readonly "GET /api/events": { readonly parameters: EventsRequest; readonly reply: EventReply };
  readonly "GET /metrics": { readonly parameters: Record<never, never>; readonly reply: string };
}
