import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/start/infra';
import { eventually } from '@app/testing';
import { startSandboxProvider } from '../start-sandbox-provider.ts';

let stackDir: string;
let started: ChildProcess | undefined;
beforeEach(() => {
  stackDir = mkdtempSync(join(tmpdir(), 'a stack '));
});
afterEach(() => {
  started?.kill('SIGKILL');
  rmSync(stackDir, { recursive: true, force: true });
});

/** `npm run sandbox` beside the platform of that folder; returns its output. */
function start(...args: string[]): () => string {
  let said = '';
  started = spawn(process.execPath, [join(__dirname, '..', 'main.ts'), ...args], {
    env: { ...process.env, STACK_DIR: stackDir },
  });
  for (const stream of [started.stdout, started.stderr]) stream?.on('data', (text) => (said += text));
  return () => said;
}

const calledAt = (providerSandbox: string) =>
  writeFileSync(join(stackDir, 'stack.json'), JSON.stringify({ providerSandbox }));

async function samplesAt(port: number): Promise<number> {
  const headers = { authorization: 'Bearer sandbox-key' };
  const response = await fetch(`http://127.0.0.1:${port}/invoices`, { headers });
  return ((await response.json()) as { items: unknown[] }).items.length;
}

test.each([
  ['where the running platform calls it', (port: number) => `http://127.0.0.1:${port}`, () => []],
  [
    'at the port that is given, wherever it is called',
    () => 'http://sandbox.example',
    (port: number) => [String(port)],
  ],
])('it listens %s, with its sample invoices', async (_where, address, args) => {
  const port = await freePort();
  calledAt(address(port));
  start(...args(port));
  await eventually(async () => expect(await samplesAt(port)).toBe(3));
});

test('where one runs already, as with npm start, it gets the account and the sample invoices', async () => {
  const running = await startSandboxProvider({ port: 0 });
  try {
    calledAt(running.url);
    const said = start();
    await eventually(() => expect(said()).toContain('already'));
    expect(await samplesAt(running.port)).toBe(3);
  } finally {
    await running.close();
  }
});

test('if the platform calls another machine, it fails with a message', async () => {
  calledAt('http://sandbox.example');
  const said = start();
  await eventually(() => {
    expect(said()).toContain('calls its sandbox provider at sandbox.example, which is not here');
    expect(started?.exitCode).toBe(1);
  });
});
