import type { IncomingMessage } from 'node:http';
import type { HostName } from '../routing/routes.ts';

/** The response headers of a file that a page may read: its length, whether it changed, and what failed. */
const exposed = 'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Retry-After, X-Request-Id';
const allowed = 'Range, If-Range, If-None-Match';

export type CrossOrigin = ReturnType<typeof crossOriginFiles>;

/**
 * CORS: only pages of the second API's origin may read files. A signed link is enough for a file,
 * so no credentials are allowed. Every response with a file has `Vary: Origin`: a cache must not
 * give one origin the response for another.
 */
export function crossOriginFiles(publicTsUrl: string) {
  const { origin } = new URL(publicTsUrl);
  const isAllowed = (req: IncomingMessage) => req.headers.origin === origin;

  return {
    /** Headers of each response to this request. */
    headersFor(host: HostName | null, req: IncomingMessage): string[] {
      if (host !== 'download' || !req.url?.startsWith('/files/')) return [];
      const allow = ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed];
      return ['Vary', 'Origin', ...(isAllowed(req) ? allow : [])];
    },
    /** The additional headers of the response to a preflight request; null for any other request. */
    preflightFor(host: HostName, req: IncomingMessage): string[] | null {
      const asks = req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
      if (host !== 'download' || !asks || !isAllowed(req)) return null;
      const methods = ['Access-Control-Allow-Methods', 'GET, HEAD', 'Access-Control-Allow-Headers', allowed];
      return [...methods, 'Access-Control-Max-Age', '7200'];
    },
  };
}
