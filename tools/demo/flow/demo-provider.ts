import { startApprovedPlatform } from '../approved-platform/start-approved-platform.ts';
import { startSandboxProvider } from '../sandbox-provider/start-sandbox-provider.ts';
import { DemoFailure, say } from './print.ts';

/** Calls the admin API of a provider. @throws DemoFailure unless the response is a success */
type Admin = (line: string, body?: object) => Promise<Record<string, unknown>>;

/** An AP provider of the demo: `admin` calls its admin API. */
export type DemoProvider = { admin: Admin; close(): Promise<void> };

/** `path` answers if such a provider is there. */
type Kind = {
  name: string;
  path: string;
  start(where: { host: string; port: number }): Promise<{ close(): Promise<void> }>;
};

export const sandbox: Kind = { name: 'sandbox provider', path: '/admin/calls', start: startSandboxProvider };
export const approvedPlatform: Kind = {
  name: 'approved platform',
  path: '/admin/received',
  start: startApprovedPlatform,
};

/**
 * The provider at the address that the platform calls; starts one if nothing answers there. `host` is this machine.
 * @throws DemoFailure if nothing answers and the address is another machine
 */
export async function connectDemoProvider(
  { name, path, start }: Kind,
  address: string,
  host: string,
): Promise<DemoProvider> {
  const { hostname, port, origin } = new URL(address);
  const admin = adminOf(origin);
  if (await answers(origin + path)) return { admin, close: async () => undefined };
  if (hostname !== host) throw new DemoFailure(`no ${name} answers at ${origin}`);
  const started = await start({ host, port: Number(port) });
  return { admin, close: () => started.close() };
}

function adminOf(address: string): Admin {
  return async (line, body) => {
    const [method = 'GET', path = '/'] = line.split(' ');
    say(`→ the provider: ${method} ${path.replace(/api_key=\w+/, 'api_key=…')}`);
    const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(address + path, { method, ...sent });
    if (!response.ok) throw new DemoFailure(`${line} answered ${response.status}: ${await response.text()}`);
    // A request that only creates something has a response without a body.
    const text = await response.text();
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
}

async function answers(address: string): Promise<boolean> {
  return fetch(address).then(
    ({ ok }) => ok,
    () => false,
  );
}
