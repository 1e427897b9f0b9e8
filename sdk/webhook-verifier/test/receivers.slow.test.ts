import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/start/infra';
import { eventually } from '@app/testing';
import { type Language, languagesHere } from './languages.ts';

/** Go first compiles its standard library if it has no build cache. */
const timeoutMs = 300_000;

const secret = 'whsec_Zm9yLXRlc3RzLW9ubHktMzItYnl0ZXMtbG9uZy1rZXk';
const body = '{"event": "ticket.status_changed", "data": {"name": "été"}}';
const [first, second] = ['a'.repeat(24), 'b'.repeat(24)];
const here = languagesHere('receivers of docs/webhooks.md');

test('Node at least is on every machine that runs this', () => {
  expect(here.map(({ name }) => name)).toContain('Node');
});

test.each(here.map((language) => [language.name, language] as const))(
  'the receiver in %s stores a delivery once, and nothing that is forged',
  async (_name, language) => {
    const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
    const receiver = await start(folder, language);
    const inbox = () => readdirSync(join(folder, 'inbox')).sort();
    try {
      await eventually(() => receiver.send(first, 'whsec_other'), 60_000);
      const wrong = [await receiver.send(first, 'whsec_other'), await receiver.send('../a', secret)];
      expect([...wrong, inbox()]).toEqual([400, 400, []]);

      expect([await receiver.send(first, secret), inbox()]).toEqual([204, [`${first}.json`]]);
      const stored = join(folder, 'inbox', `${first}.json`);
      expect(readFileSync(stored, 'utf8')).toBe(body);

      writeFileSync(stored, 'worked on');
      expect(await receiver.send(first, secret)).toBe(204);
      expect(await receiver.send(second, secret)).toBe(204);
      expect([readFileSync(stored, 'utf8'), inbox()]).toEqual(['worked on', [`${first}.json`, `${second}.json`]]);
    } finally {
      await receiver.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  timeoutMs,
);

/** Builds a receiver as the guide shows it, and starts it. */
async function start(folder: string, { snippet, receiver }: Language) {
  const isGo = snippet.endsWith('.go');
  for (const made of ['inbox', 'webhooks']) mkdirSync(join(folder, made));
  copyFileSync(join(__dirname, '../snippets', snippet), join(folder, isGo ? 'webhooks' : '', snippet));
  copyFileSync(join(__dirname, '../receivers', receiver.file), join(folder, receiver.file));
  if (isGo) writeFileSync(join(folder, 'go.mod'), 'module receiver\n\ngo 1.21\n');
  const [compiler, ...given] = receiver.build ?? [];
  if (compiler) execFileSync(compiler, given, { cwd: folder });
  const port = await freePort();
  const [program = '', ...args] = receiver.start(port);
  const env = { ...process.env, PORT: String(port), INBOX: join(folder, 'inbox'), WEBHOOK_SECRET: secret };
  const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    /** @returns the status of the answer */
    async send(delivery: string, key: string): Promise<number> {
      const t = Math.floor(Date.now() / 1000);
      const signature = `t=${t},v1=${createHmac('sha256', key).update(`${t}.${body}`).digest('hex')}`;
      const headers = { 'x-service-delivery': delivery, 'x-service-signature': signature };
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    },
    stop() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
