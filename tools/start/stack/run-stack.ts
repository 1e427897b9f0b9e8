import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createProcesses } from '../infra/index.ts';
import { acquireLock } from './lock.ts';
import type { Stack, StackOptions } from './stack.ts';
import { startStack } from './start-stack.ts';
import { listenForStopSignals } from './stop-signals.ts';

type End = { exitCode: number; why: string };

/**
 * Starts the platform, keeps it running until it is asked to stop, and stops everything that it started.
 * @returns the exit code: 0 if it was asked to stop, 1 if it could not start or stay up
 * @throws AlreadyRunning, UsageError before anything is started
 */
export async function runStack(options: StackOptions): Promise<number> {
  const { stackDir } = options;
  const lock = acquireLock(stackDir);
  const stop = listenForStopSignals(options.env);
  const processes = createProcesses();
  const failure = Promise.withResolvers<End>();
  const fail = (why: string) => failure.resolve({ exitCode: 1, why });
  const stackFile = join(stackDir, 'stack.json');
  const { tookOver } = lock;
  const stopping = new AbortController();
  const stack: Stack = { ...options, stackFile, processes, tookOver, infra: [], running: [], fail, stopping };
  void stop.forced.then(() => {
    rmSync(stackFile, { force: true });
    lock.release();
    processes.killNow();
    process.exit(130);
  });
  startStack(stack).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
  const asked = stop.requested.then((reason): End => ({ exitCode: 0, why: reason }));
  const end = await Promise.race([asked, failure.promise]);
  if (end.exitCode === 0) options.output.log(`stopping (${end.why}); once more Ctrl-C kills at once …`);
  else options.output.error(`${end.why}\nstopping everything …`);
  await stopStack(stack);
  lock.release();
  stop.dispose();
  options.output.log('stopped');
  return end.exitCode;
}

/** The gateway first, so that no new requests arrive; then the services; then MongoDB and RabbitMQ. */
async function stopStack({ stackFile, running, infra, processes, stopping, externalSystems }: Stack): Promise<void> {
  stopping.abort();
  rmSync(stackFile, { force: true });
  const [gateway] = running.filter(({ name }) => name === 'gateway');
  await gateway?.stop();
  await Promise.all(running.map((service) => service.stop()));
  await Promise.all(infra.map((server) => server.stop()));
  await externalSystems?.close();
  // Includes processes that were about to start.
  await processes.close();
}
