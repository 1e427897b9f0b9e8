import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '../../infra/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'an authority '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Calls a server that has a certificate for `certified` by the name `called`. */
async function call(certified: string[], called: string, ca?: string): Promise<number | string | undefined> {
  const certificate = await issueCertificate(await createAuthority(folder), certified);
  const server = createServer(certificate, (_, response) => response.end('ok'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const lookup = (_: string, options: { all?: boolean }, done: (...found: unknown[]) => void) =>
    options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
  try {
    return await new Promise((settle) => {
      const options = { host: called, port, agent: false, lookup: lookup as never, ...(ca ? { ca } : {}) };
      get(options, (response) => settle(response.resume().statusCode)).once('error', (error: NodeJS.ErrnoException) =>
        settle(error.code),
      );
    });
  } finally {
    server.close();
  }
}

test.each([
  [['127.0.0.1', 'localhost'], '127.0.0.1', 200],
  [['127.0.0.1', 'localhost'], 'localhost', 200],
  [['hooks.example.test'], 'hooks.example.test', 200],
  [['hooks.example.test'], 'other.example.test', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [['localhost'], '127.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('a certificate for %j called as %s: %s', async (certified, called, outcome) => {
  expect(await call(certified, called, (await createAuthority(folder)).cert)).toBe(outcome);
});

test('only clients that are given the authority trust its certificates', async () => {
  expect(await call(['localhost'], 'localhost')).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
});

test('the authority of a folder is made once, and its key is private', async () => {
  expect(await createAuthority(folder)).toEqual(await createAuthority(folder));
  expect(statSync(join(folder, 'ca.key.pem')).mode & 0o777).toBe(0o600);
});
