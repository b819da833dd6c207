/** The addresses of workers, as the page's policy demands them: made by the one policy it names, and no others. */

interface UrlPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): UrlPolicy;
}

const OURS = /^\/(sw|static\/(layout|code|diagram)-[A-Z0-9]{8})\.js$/;

const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("notewell-worker", {
  createScriptURL: (url) => {
    if (!OURS.test(url)) throw new TypeError(`${url} is no worker of these pages.`);
    return url;
  },
});

/** `url` as the browser accepts it for a worker. */
export function workerAddress(url: string): string {
  return policy?.createScriptURL(url) ?? url;
}
