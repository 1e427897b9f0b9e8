import { startSandboxProvider } from '../sandbox-provider/start-sandbox-provider.ts';
import { DemoFailure, say } from './print.ts';

/** Calls the admin API of the sandbox. @throws DemoFailure unless the response is a success */
type Admin = (line: string, body?: object) => Promise<Record<string, unknown>>;

/** The AP provider of the demo: `admin` calls its admin API. */
export type DemoProvider = { admin: Admin; close(): Promise<void> };

/**
 * The sandbox provider at the address that the platform calls; starts one if nothing answers there. `host` is this machine.
 * @throws DemoFailure if nothing answers and the address is another machine
 */
export async function connectDemoProvider(address: string, host: string): Promise<DemoProvider> {
  const admin = adminOf(address);
  if (await answers(address)) return { admin, close: async () => undefined };
  const { hostname, port } = new URL(address);
  if (hostname !== host) throw new DemoFailure(`no sandbox provider answers at ${address}`);
  const sandbox = await startSandboxProvider({ host, port: Number(port) });
  return { admin, close: () => sandbox.close() };
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
  return fetch(`${address}/admin/calls`).then(
    ({ ok }) => ok,
    () => false,
  );
}
