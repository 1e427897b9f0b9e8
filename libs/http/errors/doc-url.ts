import type { IncomingHttpHeaders } from 'node:http';

/** The address of an error code in the guide, which every public host serves. */
export function docUrl(origin: string, code: string): string {
  return `${origin}/guide/errors#${code}`;
}

/**
 * The same at the host that the client called, which the gateway names in a header; nothing for calls between
 * services, where nobody reads it.
 */
export function docUrlFor(headers: IncomingHttpHeaders, code: string): { doc_url?: string } {
  const [host, protocol] = [headers['x-forwarded-host'], headers['x-forwarded-proto']];
  return typeof host === 'string' && typeof protocol === 'string'
    ? { doc_url: docUrl(`${protocol}://${host}`, code) }
    : {};
}
