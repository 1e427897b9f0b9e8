const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

type Headers = { method: string; origin: string | undefined; fetchSite: string | undefined };

/**
 * False for a request by which another site uses the visitor's session cookie (design section 4). Only for requests that
 * the cookie authenticates: what carries a token in a header was not made by a browser on its own.
 * With neither header it is no browser's, and passes.
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
