import type { HostName } from './routes.ts';

export type PublicUrls = Record<HostName, string>;

/** The host that a request is for, by its `Host` header; null for an unknown one. */
export type PickHost = (header: string | undefined) => HostName | null;

/**
 * Picks among the hosts served on one port. A single one is always picked; if several share the port, `Host` is compared,
 * ignoring case, with their public addresses.
 * @throws Error if two of them have the same public address
 */
export function hostPicker(served: HostName[], urls: PublicUrls): PickHost {
  const [only, ...others] = served;
  if (only && others.length === 0) return () => only;
  const byAuthority = new Map<string, HostName>();
  for (const name of served) {
    for (const authority of authoritiesOf(urls[name])) {
      const taken = byAuthority.get(authority);
      if (taken) throw new Error(`the hosts ${taken} and ${name} share a port and the address ${urls[name]}`);
      byAuthority.set(authority, name);
    }
  }
  return (header) => (header === undefined ? null : (byAuthority.get(header.toLowerCase()) ?? null));
}

/** The authorities that clients may send for a URL: with and without the default port of its scheme. */
function authoritiesOf(url: string): string[] {
  const { protocol, hostname, port } = new URL(url);
  if (port) return [`${hostname}:${port}`];
  return [hostname, `${hostname}:${protocol === 'https:' ? 443 : 80}`];
}

/** Which hosts each port serves: hosts may share a port. */
export function hostsByPort(ports: Record<HostName, number>): Map<number, HostName[]> {
  const byPort = new Map<number, HostName[]>();
  for (const [name, port] of Object.entries(ports) as [HostName, number][]) {
    byPort.set(port, [...(byPort.get(port) ?? []), name]);
  }
  return byPort;
}
