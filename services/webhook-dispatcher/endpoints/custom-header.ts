/** A header that a company adds to its webhooks, such as a key that its receiver asks for. */
export type CustomHeader = { name: string; value: string };

/**
 * Headers as they are stored. Values may be secrets, so they are encrypted like the endpoint's secret, and the API
 * never returns them.
 */
export type SealedHeaders = { names: string[]; sealed: string };

/** Limits within what receivers accept, often 8 KB of headers in all. `total`: characters of names and values. */
export const headerLimits = { count: 10, name: 64, value: 1_024, total: 4_096 } as const;

/** Headers that the platform sets, and those about the connection or the encoding of the body. */
const reserved =
  /^(?:accept|accept-encoding|connection|expect|host|http2-settings|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|content-.*|proxy-.*|x-service-.*)$/i;

/** True for a name that only the platform sets. */
export function isReserved(name: string): boolean {
  return reserved.test(name);
}

/** Whether two headers have the same name, regardless of case. */
export function repeatsName(headers: readonly CustomHeader[]): boolean {
  return new Set(headers.map(({ name }) => name.toLowerCase())).size < headers.length;
}

/** Characters of all names and values. */
export function lengthOf(headers: readonly CustomHeader[]): number {
  return headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
}

/** Null for no headers. */
export function sealHeaders(
  secrets: { seal(secret: string, context: string): string },
  endpointId: string,
  headers: readonly CustomHeader[],
): SealedHeaders | null {
  if (headers.length === 0) return null;
  const pairs = headers.map(({ name, value }) => [name, value]);
  return {
    names: headers.map(({ name }) => name),
    sealed: secrets.seal(JSON.stringify(pairs), headersContext(endpointId)),
  };
}

/** The values by name. @throws Error if no key opens them */
export function openHeaders(
  secrets: { open(sealed: string, context: string): string },
  endpointId: string,
  headers: SealedHeaders | null | undefined,
): Record<string, string> {
  if (!headers) return {};
  return Object.fromEntries(JSON.parse(secrets.open(headers.sealed, headersContext(endpointId))) as [string, string][]);
}

/** The encryption context. It differs from that of the secret, so that neither can replace the other. */
export function headersContext(endpointId: string): string {
  return `${endpointId}:headers`;
}
