import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePortBase } from '@app/start/infra';
import { eventually, testInfra } from '@app/testing';
import { portSpan } from '../arguments.ts';
import { dummyLauncher, expectGone, killLaunchers, launch, newFolder } from './launcher.ts';

let folder: string;
let base: number;
beforeEach(async () => {
  folder = newFolder();
  base = await freePortBase(portSpan + 1);
});
afterEach(() => {
  killLaunchers();
  rmSync(folder, { recursive: true, force: true });
});

const given = () => ({ MONGODB_URL: testInfra().mongodbUrl, AMQP_URL: testInfra().amqpUrl });

test('given MongoDB and RabbitMQ are used and left running; a service knows its own keys and no others', async () => {
  const launcher = launch({ folder, base, env: { ...given(), SESSION_KEYS: 'mine:secret', LOG_LEVEL: 'debug' } });
  const { mongodb, processes } = await launcher.ready();
  expect(mongodb).toBe(testInfra().mongodbUrl);
  const identity = await environmentOf(base + 31);
  expect(identity).toMatchObject({ SESSION_KEYS: 'mine:secret', LOG_LEVEL: 'debug', PORT: String(base + 10) });
  expect(identity['INTERNAL_TOKEN_PRIVATE_KEY']).toBeUndefined();
  expect((await environmentOf(base + 30))['SESSION_KEYS']).toBeUndefined();
  launcher.child.kill('SIGTERM');
  expect(await launcher.exitCode).toBe(0);
  await expectGone(folder, processes);
});

test('a service that ends before it is ready stops the start, which says why', async () => {
  writeFileSync(join(folder, 'identity.refuse'), '');
  const launcher = launch({ folder, base, env: given() });
  expect(await launcher.exitCode).toBe(1);
  expect(launcher.output()).toContain('a setting is missing');
  expect(launcher.output()).toContain('identity ended before it was ready (exit code 3)');
  await expectGone(folder, []);
});

test('a second Ctrl-C kills what does not stop', async () => {
  writeFileSync(join(folder, 'identity.hang'), '');
  const launcher = launch({ folder, base, env: given() });
  const { processes } = await launcher.ready();
  launcher.child.kill('SIGINT');
  await eventually(() => expect(launcher.output()).toContain('once more Ctrl-C kills at once'));
  const insist = setInterval(() => launcher.child.kill('SIGINT'), 100);
  expect(await launcher.exitCode).toBe(130);
  clearInterval(insist);
  await expectGone(folder, processes);
});

test('services that hang hold up Ctrl-C for less than 10 s', async () => {
  for (const name of ['gateway', 'identity']) writeFileSync(join(folder, `${name}.hang`), '');
  const launcher = launch({ folder, base, env: given() });
  const { processes } = await launcher.ready();
  const started = Date.now();
  launcher.child.kill('SIGINT');
  expect(await launcher.exitCode).toBe(0);
  // 9 s of waiting for them, and as long again for a machine that does other things besides.
  expect(Date.now() - started).toBeLessThan(18_000);
  await expectGone(folder, processes);
});

const ownStart = (): string =>
  JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')).scripts.start as string;

test.each(['SIGINT', 'SIGTERM'] as const)('npm start passes %s to npm alone on: everything stops', async (signal) => {
  const start = ownStart().replace('tools/start/main.ts', `'${dummyLauncher}' . --port-base ${base}`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'stack', scripts: { start } }));
  const launcher = launch({ folder, base, env: given(), command: ['npm', 'start'] });
  const { processes } = await launcher.ready();
  launcher.child.kill(signal);
  await launcher.exitCode;
  await eventually(() => expect(launcher.output()).toContain('stopped'), 30_000);
  expect(launcher.output()).toContain(signal === 'SIGINT' ? 'stopping (Ctrl-C)' : 'stopping (SIGTERM)');
  await expectGone(folder, processes);
});

test('it stops when the npm that started it is killed', async () => {
  const start = `node '${dummyLauncher}' . --port-base ${base}`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'stack', scripts: { start } }));
  const launcher = launch({ folder, base, env: given(), command: ['npm', 'start'] });
  const { processes } = await launcher.ready();
  launcher.child.kill('SIGKILL');
  await expectGone(folder, processes);
});

test('a MongoDB that does not answer is named', async () => {
  const launcher = launch({ folder, base, env: { ...given(), MONGODB_URL: `mongodb://127.0.0.1:${base + 50}` } });
  expect(await launcher.exitCode).toBe(1);
  expect(launcher.output()).toContain('The MongoDB of MONGODB_URL cannot be used');
});

async function environmentOf(opsPort: number): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
  return (await response.json()) as Record<string, string>;
}
