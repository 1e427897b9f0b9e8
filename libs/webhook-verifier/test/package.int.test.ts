import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'webhook-verifier-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const body = '{"event":"webhook.test","created_at":"2026-11-20T14:31:09.377Z","data":{}}';
const t = Math.floor(Date.now() / 1000);
const v1 = createHmac('sha256', 'whsec_x').update(`${t}.${body}`).digest('hex');
const use = `console.log(verifyWebhook(${JSON.stringify(body)}, {'x-service-signature': 't=${t},v1=${v1}'}, 'whsec_x').event);`;

test('the package, as it would be published, is loaded by both kinds of modules and needs nothing else', () => {
  const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  npm(['pack', '--silent', '--pack-destination', folder], join(__dirname, '..'));
  const [tarball] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm(['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], folder);
  const name = '@facility-platform/webhook-verifier';
  writeFileSync(join(folder, 'a.mjs'), `import { verifyWebhook } from '${name}';\n${use}`);
  writeFileSync(join(folder, 'b.cjs'), `const { verifyWebhook } = require('${name}');\n${use}`);
  const run = (file: string) => execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' }).trim();
  expect([run('a.mjs'), run('b.cjs')]).toEqual(['webhook.test', 'webhook.test']);
  expect(readdirSync(join(folder, 'node_modules')).filter((entry) => !entry.startsWith('.'))).toEqual([
    '@facility-platform',
  ]);
});
