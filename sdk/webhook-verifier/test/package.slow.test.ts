import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const name = '@facility-platform/webhook-verifier';
const source = join(__dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'webhook-verifier-'));
const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });

/** The package as it would be published, installed where nothing else is. */
beforeAll(() => {
  npm(['pack', '--silent', '--pack-destination', folder], source);
  const [tarball] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm(['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const body = '{"event":"webhook.test","created_at":"2026-11-20T14:31:09.377Z","data":{}}';
const t = Math.floor(Date.now() / 1000);
const secret = `whsec_${'x'.repeat(43)}`;
const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
const use = `console.log(verifyWebhook(${JSON.stringify(body)}, {'x-service-signature': 't=${t},v1=${v1}'}, '${secret}').event);`;

test('it is loaded by both kinds of modules and needs nothing else', () => {
  writeFileSync(join(folder, 'a.mjs'), `import { verifyWebhook } from '${name}';\n${use}`);
  writeFileSync(join(folder, 'b.cjs'), `const { verifyWebhook } = require('${name}');\n${use}`);
  const run = (file: string) => execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' }).trim();
  expect([run('a.mjs'), run('b.cjs')]).toEqual(['webhook.test', 'webhook.test']);
  expect(readdirSync(join(folder, 'node_modules')).filter((entry) => !entry.startsWith('.'))).toEqual([
    '@facility-platform',
  ]);
});

test('the package is public and includes its licence', () => {
  const installed = join(folder, 'node_modules', name);
  const described = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(described).toMatchObject({ license: 'MIT', publishConfig: { access: 'public' } });
  expect(described).not.toHaveProperty('private');
  expect(described).not.toHaveProperty('dependencies');
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json']);
});

/** A receiver in TypeScript, beside the types that any of them has; gives what its compiler says. */
function compile(text: string): { status: number | null; said: string } {
  const typed = mkdtempSync(join(folder, 'typed-'));
  const root = join(source, '../..');
  mkdirSync(join(typed, 'node_modules'));
  symlinkSync(join(root, 'node_modules/@types'), join(typed, 'node_modules/@types'));
  writeFileSync(join(typed, 'package.json'), '{"type":"module"}');
  writeFileSync(join(typed, 'receiver.ts'), text);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const compiler = join(root, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(compiler, [...options, 'receiver.ts'], { cwd: typed, encoding: 'utf8' });
  return { status, said: stdout };
}

const compiled = { status: 0, said: '' };

test('the example of its README compiles against its types', () => {
  const [, example = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(source, 'README.md'), 'utf8')) ?? [];
  expect(example).toContain(`from '${name}'`);
  const ofTheReceiver = `
    import type { WebhookEvent } from '${name}';
    declare global { namespace NodeJS { interface ProcessEnv { WEBHOOK_SECRET: string } } }
    declare function enqueue(id: string | null, event: WebhookEvent): void;`;
  expect(compile(`${example}\n${ofTheReceiver}`)).toEqual(compiled);
});

test('its types reject wrong use', () => {
  const wrong = `
    import { verifyWebhook, WebhookVerificationError } from '${name}';
    const event = verifyWebhook<{ ticket: { number: string } }>(Buffer.from(''), new Headers(), ['whsec_a', 'whsec_b']);
    export const right: [string, string | null] = [event.data.ticket.number, event.delivery];
    // @ts-expect-error: a body that was parsed
    verifyWebhook({ event: 'webhook.test' }, {}, 'whsec_a');
    // @ts-expect-error: no secret
    verifyWebhook('', {}, undefined);
    // @ts-expect-error: a tolerance that is text
    verifyWebhook('', {}, 'whsec_a', { toleranceSeconds: '5 minutes' });
    // @ts-expect-error: a fault that there is none of
    export const isOld = (error: WebhookVerificationError) => error.code === 'too_old';`;
  expect(compile(wrong)).toEqual(compiled);
});
