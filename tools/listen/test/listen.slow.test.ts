import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/start/infra';
import { eventually } from '@app/testing';

const stackDir = mkdtempSync(join(tmpdir(), 'listen-'));
const secret = 'whsec_c2VjcmV0LW9mLXRoZS10ZXN0';
const body =
  '{"event":"ticket.quote_added","created_at":"2026-11-20T14:31:09.377Z","data":{"ticket":{"number":"T-000042"}}}';
let child: ChildProcessWithoutNullStreams;
let output = '';
let port = 0;

function listen(args: string[]): ChildProcessWithoutNullStreams {
  const program = spawn(process.execPath, [join(__dirname, '../main.ts'), ...args], {
    env: { ...process.env, STACK_DIR: stackDir },
  });
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  return program;
}

beforeAll(async () => {
  port = await freePort();
  child = listen(['--port', String(port)]);
  await eventually(() => expect(output).toContain(`Listening at https://127.0.0.1:${port}/webhooks`));
});
afterAll(() => {
  child.kill();
  rmSync(stackDir, { recursive: true, force: true });
});

/** Posts like the platform; verifies the certificate with the certificate authority of the stack's folder. */
function post(signature: string): Promise<number> {
  const ca = readFileSync(join(stackDir, 'tls/ca.pem'));
  const headers = {
    'x-service-signature': signature,
    'x-service-delivery': 'a'.repeat(24),
    'content-type': 'application/json',
  };
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path: '/webhooks', method: 'POST', ca, headers }, (res) => {
      res.resume();
      resolve(res.statusCode as number);
    });
    req.on('error', reject);
    req.end(body);
  });
}

const signed = (key: string) => {
  const t = Math.floor(Date.now() / 1000);
  return `t=${t},v1=${createHmac('sha256', key).update(`${t}.${body}`).digest('hex')}`;
};

test('a webhook is printed with its error, and verifies once the secret was typed in', async () => {
  expect(await post(signed(secret))).toBe(400);
  await eventually(() => expect(output).toContain('✗ the secret is missing'));
  child.stdin.write(`${secret}\n`);
  await eventually(() => expect(output).toContain('From now on'));
  expect(await post(signed(secret))).toBe(204);
  await eventually(() => expect(output).toContain(`✓ ticket.quote_added  delivery ${'a'.repeat(24)}`));
  expect(output).toContain('"number": "T-000042"');
  expect(await post(signed('whsec_other'))).toBe(400);
  await eventually(() => expect(output).toContain('✗ the signature does not match'));
  expect(output).not.toContain(secret);
});

test('a wrong option is an error that names it', async () => {
  const program = listen(['--status', 'soon']);
  expect(await new Promise((resolve) => program.once('exit', resolve))).toBe(1);
  await eventually(() => expect(output).toContain('--status takes a whole number from 200 to 599'));
});
