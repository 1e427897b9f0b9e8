import { startSandboxProvider } from '@app/sandbox-provider';
import { type Api, api, DemoFailure } from './print.ts';

/** The AP provider of the demo: `admin` calls its admin API. */
export type DemoProvider = { admin: Api; close(): Promise<void> };

/**
 * The sandbox provider at the address that the platform calls; starts one if nothing answers there. `host` is this machine.
 * @throws DemoFailure if nothing answers and the address is another machine
 */
export async function connectDemoProvider(address: string, host: string): Promise<DemoProvider> {
  const admin = api(address, 'none');
  if (await answers(address)) return { admin, close: async () => undefined };
  const { hostname, port } = new URL(address);
  if (hostname !== host) throw new DemoFailure(`no sandbox provider answers at ${address}`);
  const sandbox = await startSandboxProvider({ host, port: Number(port) });
  return { admin, close: () => sandbox.close() };
}

async function answers(address: string): Promise<boolean> {
  return fetch(`${address}/admin/calls`).then(
    ({ ok }) => ok,
    () => false,
  );
}
