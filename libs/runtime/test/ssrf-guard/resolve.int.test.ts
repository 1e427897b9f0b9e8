import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createResolve } from '../../ssrf-guard/resolve.ts';

const dir = mkdtempSync(join(tmpdir(), 'hosts-'));
const hosts = join(dir, 'hosts');
afterAll(() => rmSync(dir, { recursive: true }));

test('a name of the hosts file has all its addresses, in any case and with a final dot', async () => {
  writeFileSync(hosts, '# 10.0.0.9 erp.example.com\n10.0.0.1 Erp.Example.com erp # main\nfd00::1\terp.example.com\n');
  const resolve = createResolve(hosts);
  const signal = AbortSignal.timeout(5_000);
  expect(await resolve('erp.example.com', signal)).toEqual(['10.0.0.1', 'fd00::1']);
  expect(await resolve('ERP.example.com.', signal)).toEqual(['10.0.0.1', 'fd00::1']);
});

test('a change of the hosts file is seen', async () => {
  writeFileSync(hosts, '10.0.0.1 erp.example.com\n');
  const resolve = createResolve(hosts);
  await resolve('erp.example.com', AbortSignal.timeout(5_000));
  writeFileSync(hosts, '10.0.0.2 erp.example.com\n');
  expect(await resolve('erp.example.com', AbortSignal.timeout(5_000))).toEqual(['10.0.0.2']);
});

test('a name that nobody knows rejects', async () => {
  const resolve = createResolve(join(dir, 'missing'));
  await expect(resolve('no-such-name.invalid', AbortSignal.timeout(3_000))).rejects.toThrow();
});
