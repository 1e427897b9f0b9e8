import type { PublicUrls } from '../routing/hosts.ts';
import type { HostName } from '../routing/routes.ts';

type HeadersOfHost = Record<HostName, ReadonlyMap<string, string>>;

/**
 * Headers of a host's responses unless the service sets them itself. API responses are private data: not cached, and never
 * rendered by a browser. A file may be rendered; its service sets the policy.
 */
export function defaultHeaders(urls: PublicUrls): { ofServices: HeadersOfHost; ofErrors: HeadersOfHost } {
  const api = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
  const ofErrors = eachHost((host) => new Map(Object.entries({ ...everywhere(urls[host]), ...api })));
  const ofFiles = new Map(Object.entries(everywhere(urls.download)));
  return { ofErrors, ofServices: { ...ofErrors, download: ofFiles } };
}

function everywhere(url: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

export function eachHost<T>(make: (host: HostName) => T): Record<HostName, T> {
  return { ticket: make('ticket'), ts: make('ts'), download: make('download') };
}
