import type { PublicUrls } from './hosts.ts';
import type { HostName } from './routes.ts';

type HeadersOfHost = Record<HostName, ReadonlyMap<string, string>>;

/**
 * The headers that the answers of a host carry unless the service set them itself. Those of the APIs are data of one
 * company: kept by no cache and drawn by no browser. A file may be drawn, and says itself under which policy.
 */
export function defaultHeaders(urls: PublicUrls): { ofServices: HeadersOfHost; ofRefusals: HeadersOfHost } {
  const api = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
  const ofRefusals = eachHost((host) => new Map(Object.entries({ ...everywhere(urls[host]), ...api })));
  const ofFiles = new Map(Object.entries(everywhere(urls.download)));
  return { ofRefusals, ofServices: { ...ofRefusals, download: ofFiles } };
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
