/** The service worker keeps the page and the last answers for times without a server. */

interface UrlPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): UrlPolicy;
}

const ADDRESS = "/sw.js";

export function registerWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("notewell-worker", { createScriptURL: () => ADDRESS });
  navigator.serviceWorker
    .register(policy?.createScriptURL(ADDRESS) ?? ADDRESS)
    .catch((error: unknown) => console.warn("The page works, but not without its server:", error));
}
