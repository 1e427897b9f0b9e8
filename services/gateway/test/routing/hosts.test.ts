import { hostPicker, hostsByPort } from '../../routing/hosts.ts';
import type { HostName } from '../../routing/routes.ts';

const production = {
  ticket: 'https://api.example.com',
  ts: 'https://ts.example.com/',
  download: 'http://files.example.com:8080',
};
const all: HostName[] = ['ticket', 'ts', 'download'];

test.each<[string | undefined, string | null]>([
  ['api.example.com', 'ticket'],
  ['API.Example.COM', 'ticket'],
  ['api.example.com:443', 'ticket'],
  ['api.example.com:80', null],
  ['api.example.com:4000', null],
  ['ts.example.com', 'ts'],
  ['files.example.com:8080', 'download'],
  ['FILES.example.com:8080', 'download'],
  ['files.example.com', null],
  ['evil.example.com', null],
  ['api.example.com.evil.test', null],
  ['', null],
  [undefined, null],
])('where the hosts share a port, Host %s is %s', (header, host) => {
  expect(hostPicker(all, production)(header)).toBe(host);
});

test('a host with a port of its own answers to any name', () => {
  const pick = hostPicker(['ts'], production);
  expect(pick('localhost:4001')).toBe('ts');
  expect(pick(undefined)).toBe('ts');
});

test('where two hosts share a port, the third is not served', () => {
  const pick = hostPicker(['ticket', 'ts'], production);
  expect(pick('ts.example.com')).toBe('ts');
  expect(pick('files.example.com:8080')).toBeNull();
});

test('hosts that could not be distinguished stop the start', () => {
  const same = { ...production, ts: 'https://API.example.com:443' };
  expect(() => hostPicker(all, same)).toThrow('the hosts ticket and ts share a port');
  expect(() => hostPicker(['ticket'], same)).not.toThrow();
});

test('ports may be equal or differ', () => {
  expect([...hostsByPort({ ticket: 80, ts: 80, download: 80 })]).toEqual([[80, all]]);
  expect([...hostsByPort({ ticket: 1, ts: 2, download: 1 })]).toEqual([
    [1, ['ticket', 'download']],
    [2, ['ts']],
  ]);
});
