const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

type Headers = { method: string; origin: string | undefined; fetchSite: string | undefined };

/**
 * False for a cross-site request forgery: a change that another site's page makes with the user's session cookie. To be asked
 * only of requests that the cookie authenticates, since browsers add no token by themselves. A request with neither `Origin` nor
 * `Sec-Fetch-Site` does not come from a browser, and passes.
 */
export function originAllowed({ method, origin, fetchSite }: Headers, ownOrigins: ReadonlySet<string>): boolean {
  if (safeMethods.has(method)) return true;
  if (origin !== undefined) return ownOrigins.has(origin.toLowerCase());
  return fetchSite?.toLowerCase() !== 'cross-site';
}

/** The second API's own origin, and those that the settings add (`https://a.example,https://b.example`). */
export function ownOrigins(publicUrl: string, added: string): Set<string> {
  const others = added.split(',').map((origin) => origin.trim());
  return new Set([publicUrl, ...others].filter(Boolean).map((url) => new URL(url).origin));
}
