import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import axios from 'axios';
import { isHere } from '../../setup/run-program.ts';
import { caller, newCompany, stack } from '../platform.ts';

const run = promisify(execFile);
const root = join(__dirname, '../../..');

/**
 * Runs the code blocks of a page in one shell, with the addresses of this platform and the account of a new company.
 */
async function runBlocks(page: string): Promise<string> {
  const { ticketApi, tsApi } = stack();
  const { email, password } = await newCompany('client');
  const text = await readFile(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const script = blocks
    .filter((block) => !block.startsWith('npm '))
    .join('\n')
    .replaceAll('http://127.0.0.1:4000', ticketApi)
    .replaceAll('http://127.0.0.1:4001', tsApi)
    .replaceAll('admin@grand-bazar.example', email)
    .replaceAll('demo-password-2026', password);
  const folder = await mkdtemp(join(tmpdir(), 'quick-start-'));
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: folder });
  await rm(folder, { recursive: true });
  return stdout;
}

if (isHere('curl', 'The requests of README.md and docs/quick-start.md'))
  test.each(['docs/quick-start.md', 'README.md'])('the five requests of %s do what it says', async (page) => {
    const answers = (await runBlocks(page)).split(/(?<=\})(?=\{)/).map((answer) => JSON.parse(answer));
    expect(answers).toEqual([
      expect.objectContaining({ token: expect.any(String) }),
      expect.objectContaining({ ticket_id: expect.stringMatching(/^[0-9a-f]{24}$/) }),
      expect.objectContaining({ tickets: [expect.objectContaining({ title: 'Cold room too warm' })] }),
      expect.objectContaining({ secret: expect.stringMatching(/^whsec_/), health: 'ok' }),
    ]);
  });

if (isHere('curl', 'The requests of docs/deployment.md'))
  test('the first administrator of docs/deployment.md signs in, and administers the company', async () => {
    const { tsApi, adminToken } = stack();
    const [, block = ''] =
      /## The first company\n.*?```sh\n(.*?)```/s.exec(await readFile(join(root, 'docs/deployment.md'), 'utf8')) ?? [];
    const email = `first-${Date.now()}@example.com`;
    const script = block.replace('https://ts.example.com', tsApi).replace('ada.martin@example.com', email);
    const folder = await mkdtemp(join(tmpdir(), 'first-company-'));
    await mkdir(join(folder, 'secrets'));
    await writeFile(join(folder, 'secrets/PLATFORM_ADMIN_TOKEN'), `${adminToken}\n`);
    await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: folder });
    await rm(folder, { recursive: true });
    const { data: session } = await caller(tsApi)('POST /auth/login', { email, password: 'correct horse battery' });
    const { data: users } = await caller(tsApi, session.token)('GET /company/users');
    expect(users.items).toEqual([expect.objectContaining({ email, permissions: ['admin'] })]);
  });

const buildGuide = () =>
  run(process.execPath, [join(root, 'tools/generate/main.ts'), 'guide', '--if-outdated'], { cwd: root });

test('the domain events are served beside the guide', async () => {
  await buildGuide();
  const { status, headers } = await axios.get(`${stack().ticketApi}/guide/asyncapi.yaml`);
  expect([status, headers['content-type']]).toEqual([200, 'application/yaml']);
});

test('an error leads to the entry of its code, at the host that was called', async () => {
  await buildGuide();
  const client = await newCompany('client');
  for (const [answer, host] of [
    [await client.api('GET /tickets/x'), stack().ticketApi],
    [await client.ts('GET /nowhere'), stack().tsApi],
    [await caller(stack().tsApi)('GET /auth/session'), stack().tsApi],
    [await caller(stack().download)('GET /files/x'), stack().download],
  ] as const) {
    const { code, doc_url: docUrl } = answer.data;
    expect(docUrl).toBe(`${host}/guide/errors#${code}`);
    const { data, headers } = await axios.get(docUrl);
    expect(data).toContain(` id="${code}"`);
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe-inline/);
  }
});
