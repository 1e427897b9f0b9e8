import { addressBlock } from '@app/http';
import { lockedForS, throttleKeys } from '../../sessions/login-throttle.ts';

const at = new Date('2026-11-21T10:00:00Z');
const minutesAgo = (minutes: number) => new Date(at.getTime() - minutes * 60_000);
const times = (count: number, minutes: number) => Array.from({ length: count }, () => minutesAgo(minutes));

test.each<[string, Date[], number]>([
  ['no failure', [], 0],
  ['nine failures', times(9, 1), 0],
  ['ten failures a minute ago', times(10, 1), 14 * 60],
  ['ten failures this instant', times(10, 0), 15 * 60],
  ['ten failures, one out of the window', [...times(1, 15), ...times(9, 1)], 0],
  ['ten failures, the oldest about to leave the window', [...times(1, 14.999), ...times(9, 1)], 1],
  ['eleven failures: the lock lasts until fewer than ten are left', [...times(1, 14), ...times(10, 1)], 14 * 60],
])('after %s an account is locked for that many seconds', (_, failures, expected) => {
  expect(lockedForS(failures, 10, at)).toBe(expected);
});

test('an attempt counts for its account at its address, 10, and for each of them, 100', () => {
  const keys = throttleKeys({ email: 'ada@acme.test', address: '192.0.2.1', device: null });
  expect(keys.map(({ limit }) => limit)).toEqual([10, 100, 100]);
  expect(keys[2]?.key).toBe('address:192.0.2.1');
});

test('in a browser that is known it counts for that browser alone', () => {
  const attempt = { email: 'ada@acme.test', address: '192.0.2.1', device: 'd' };
  expect(throttleKeys(attempt)).toEqual([{ key: 'device:d', limit: 10 }]);
});

test('the typed e-mail address is not stored', () => {
  expect(JSON.stringify(throttleKeys({ email: 'oops my password', address: '192.0.2.1', device: null }))).not.toContain(
    'password',
  );
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s counts as %s', (address, expected) => {
  expect(addressBlock(address)).toBe(expected);
});
