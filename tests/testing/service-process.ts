import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freePort } from '@app/start/infra';
import { eventually } from './eventually.ts';
import { testInfra } from './infra.ts';
import { testKeys } from './tokens.ts';

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;

/** A service as a process of its own on the infrastructure of the test; `program`: its `main.ts`. Resolves once it is ready. */
export async function startServiceProcess(program: string, settings: NodeJS.ProcessEnv) {
  const [port, opsPort] = [await freePort(), await freePort()];
  const { mongodbUrl, amqpUrl } = testInfra();
  const child = fork(program, {
    execArgv: ['--max-semi-space-size=16', '--heap-growing-percent=60', '--expose-gc'],
    silent: true,
    env: {
      ...process.env,
      PORT: String(port),
      OPS_PORT: String(opsPort),
      MONGODB_URL: mongodbUrl,
      AMQP_URL: amqpUrl,
      INTERNAL_TOKEN_PUBLIC_KEYS: testKeys.public,
      MALLOC_ARENA_MAX: '2',
      ...settings,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const ops = `http://127.0.0.1:${opsPort}`;
  await eventually(async () => expectReady(await fetch(`${ops}/readyz`))).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    child,
    url,
    /** Where health and metrics are. */
    ops,
    /** Its memory, in MiB. */
    resident(): number {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    },
    /** Ends it without warning; resolves once it is gone. */
    async kill(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function expectReady({ status }: Response): void {
  if (status !== 200) throw new Error(`/readyz answers ${status}`);
}
