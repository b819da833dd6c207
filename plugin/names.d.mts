/** Names of the plugin's own properties, and the shorter ones that the build writes; see names.mjs. */
export const SHORT_NAMES: Readonly<Record<string, string>>;
