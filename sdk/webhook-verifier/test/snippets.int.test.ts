import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { languagesHere } from './languages.ts';

/** Go first compiles its standard library if it has no build cache. */
const timeoutMs = 300_000;

const here = languagesHere('snippets of docs/webhooks.md');

const secret = 'whsec_Zm9yLXRlc3RzLW9ubHktMzItYnl0ZXMtbG9uZy1rZXk';
const body = '{"event":"ticket.status_changed","data":{"name":"été"}}';
const now = Math.floor(Date.now() / 1000);
const sign = (content: string, t: number | string, key = secret) =>
  createHmac('sha256', key).update(`${t}.${content}`).digest('hex');
const signed = (content: string, t: number | string = now, key = secret) => `t=${t},v1=${sign(content, t, key)}`;

const none = `,v1=${'0'.repeat(64)}`;
const last = (content: string, others: string) => `t=${now}${others},v1=${sign(content, now)}`;

const rows: [what: string, body: string, header: string, secret: string, genuine: boolean][] = [
  ['what we signed', body, signed(body), secret, true],
  ['an empty body that we signed', '', signed(''), secret, true],
  // 20 s old: Java may take minutes to compile on a busy machine, and a signature is good for five.
  ['one signed a while ago', body, signed(body, now - 20), secret, true],
  ['the first of two signatures', body, `${signed(body)}${none}`, secret, true],
  ['the last of two signatures', body, last(body, none), secret, true],
  ['the last of ten signatures', body, last(body, none.repeat(9)), secret, true],
  ['one beside a scheme of tomorrow', body, last(body, ',v2=abc'), secret, true],
  ['the eleventh signature', body, last(body, none.repeat(10)), secret, false],
  ['two signatures, both of another secret', body, `${signed(body, now, 'whsec_other')}${none}`, secret, false],
  ['a second signature of an altered body', body.replace('été', 'ete'), last(body, none), secret, false],
  ['a second signature with a stale time', body, `t=${now - 400}${none},v1=${sign(body, now - 400)}`, secret, false],
  ['a body that was altered', body.replace('été', 'ete'), signed(body), secret, false],
  ['another secret', body, signed(body, now, 'whsec_other'), secret, false],
  ['a stale signature', body, signed(body, now - 400), secret, false],
  ['a signature from the future', body, signed(body, now + 4_000), secret, false],
  ['a time that was altered', body, signed(body).replace(/^t=\d/, 't=9'), secret, false],
  ['no header', body, '', secret, false],
  ['half a signature', body, signed(body).slice(0, -10), secret, false],
  ['no time', body, `v1=${sign(body, '')}`, secret, false],
  ['a time that is no number', body, `t=soon,v1=${sign(body, 'soon')}`, secret, false],
  ['a signature that is no hexadecimal', body, `t=${now},v1=${'z'.repeat(64)}`, secret, false],
];

test('Node at least is on every machine that runs this', () => {
  expect(here.map(({ name }) => name)).toContain('Node');
});

test.each(here.map((language) => [language.name, language] as const))(
  'the snippet in %s distinguishes genuine from forged webhooks',
  (_name, language) => {
    const folder = mkdtempSync(join(tmpdir(), 'snippet-'));
    try {
      const { snippet, driver } = language;
      // In the guide the snippet is a package of its own; with its driver it is one program.
      const source = readFileSync(join(__dirname, '../snippets', snippet), 'utf8').replace(
        /^package webhooks$/m,
        'package main',
      );
      writeFileSync(join(folder, snippet), source);
      copyFileSync(join(__dirname, 'drivers', driver), join(folder, driver));
      const input = rows
        .map(([, content, header, key]) => `${Buffer.from(content).toString('base64')}\t${header}\t${key}\n`)
        .join('');
      let output = '';
      for (const [program = '', ...args] of language.run) {
        output = execFileSync(program, args, { cwd: folder, input, encoding: 'utf8' });
      }
      const answers = output.trim().split('\n');
      expect(rows.map(([what], index) => [what, answers[index]])).toEqual(
        rows.map(([what, , , , genuine]) => [what, String(genuine)]),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  timeoutMs,
);
