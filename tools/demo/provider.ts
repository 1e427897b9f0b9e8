import { startSandboxProvider } from '@app/sandbox-provider';
import { type Api, api, DemoFailure } from './print.ts';

/** The AP provider of the demo: `play` has it do what people do there. */
export type DemoProvider = { play: Api; close(): Promise<void> };

/**
 * The sandbox provider where the platform calls it: the one that answers there, else one of the demo's own.
 * @throws DemoFailure where nothing answers, and it could not be started from here
 */
export async function demoProvider(address: string): Promise<DemoProvider> {
  const play = api(address, 'none');
  if (await answers(address)) return { play, close: async () => undefined };
  const { hostname, port } = new URL(address);
  if (hostname !== '127.0.0.1') throw new DemoFailure(`no sandbox provider answers at ${address}`);
  const sandbox = await startSandboxProvider({ port: Number(port) });
  return { play, close: () => sandbox.close() };
}

async function answers(address: string): Promise<boolean> {
  return fetch(`${address}/admin/calls`).then(
    ({ ok }) => ok,
    () => false,
  );
}
