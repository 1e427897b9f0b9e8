import type { HostName } from './routes.ts';

export type PublicUrls = Record<HostName, string>;

/** Tells which host a request is for, by its `Host` header; null for one that we do not serve. */
export type PickHost = (header: string | undefined) => HostName | null;

/**
 * The hosts served on one port. One alone needs no name; where several share the port, `Host` is compared, without regard
 * to case, with the addresses that users see.
 * @throws Error where two of them have the same address, and so could not be told apart
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

/** How clients may write the authority of a URL: with and without the port that its scheme implies. */
function authoritiesOf(url: string): string[] {
  const { protocol, hostname, port } = new URL(url);
  if (port) return [`${hostname}:${port}`];
  return [hostname, `${hostname}:${protocol === 'https:' ? 443 : 80}`];
}

/** Which hosts each port serves: ports may be equal or differ. */
export function hostsByPort(ports: Record<HostName, number>): Map<number, HostName[]> {
  const byPort = new Map<number, HostName[]>();
  for (const [name, port] of Object.entries(ports) as [HostName, number][]) {
    byPort.set(port, [...(byPort.get(port) ?? []), name]);
  }
  return byPort;
}
