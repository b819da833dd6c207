/** The server's answers that a browser keeps for times without it. The service worker and the first visit's page store them. */

export const ANSWERS = "notewell-answers";
/** How long the first visit lasts at most: it begins before there is a worker, so the page keeps what it loads. */
export const FIRST_VISIT_MS = 30_000;
const MAX_ANSWERS = 120;
/** Routes whose answers are kept: texts of further languages, no events, and nothing that changes data. */
const KEPT_ROUTES = /^\/(?:texts\/\w+\.json|api\/(?:health|vaults|session|search|similar|note|status|archaeology|stats|graph\/\w+))$/;

export const isKept = ({ pathname }: URL): boolean => KEPT_ROUTES.test(pathname);

/** Stores an answer; the oldest ones are forgotten. */
export async function keepAnswer(request: RequestInfo, answer: Response): Promise<void> {
  const cache = await caches.open(ANSWERS);
  await cache.put(request, answer);
  const requests = await cache.keys(); // oldest first
  await Promise.all(requests.slice(0, -MAX_ANSWERS).map((old) => cache.delete(old)));
}
