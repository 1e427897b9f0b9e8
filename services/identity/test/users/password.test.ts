import crypto, { scryptSync } from 'node:crypto';
import { createPasswordHasher } from '../../users/password.ts';

const passwords = createPasswordHasher();
/** Low, for tests that are not about the cost. */
const cost = { N: 1024, r: 8, p: 1 };
const cheap = createPasswordHasher({ cost });

test('a password is right against its own hash, and no other is', async () => {
  const kept = await cheap.hash('correct horse battery');
  expect(await cheap.verify('correct horse battery', kept)).toBe(true);
  expect(await cheap.verify('correct horse batterY', kept)).toBe(false);
  expect(await cheap.verify('', kept)).toBe(false);
});

test('the hash keeps its parameters and a salt of 16 bytes of its own', async () => {
  const [one, two] = await Promise.all([passwords.hash('same password'), passwords.hash('same password')]);
  expect(one).toMatch(/^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/);
  expect(one).not.toBe(two);
});

test('a hash made with other parameters stays good', async () => {
  const salt = Buffer.alloc(16, 1);
  const hash = scryptSync('an old password', salt, 32, { N: 1024, r: 4, p: 1 });
  const kept = `scrypt$1024$4$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  expect(await passwords.verify('an old password', kept)).toBe(true);
  expect(await passwords.verify('a new password', kept)).toBe(false);
});

test('for a user that does not exist no password is right, after as much work', async () => {
  const kept = await passwords.hash('correct horse battery');
  const derive = jest.spyOn(crypto, 'scrypt');
  expect(await passwords.verify('wrong horse battery', kept)).toBe(false);
  expect(await passwords.verify('wrong horse battery', null)).toBe(false);
  const work = derive.mock.calls.map(([password, _salt, length, cost]) => ({ password, length, cost }));
  derive.mockRestore();
  expect(work).toHaveLength(2);
  expect(work[1]).toEqual(work[0]);
});

test('the same characters are the same password, however the keyboard composes them', async () => {
  const kept = await cheap.hash('caf\u00e9 au lait fort');
  expect(await cheap.verify('cafe\u0301 au lait fort', kept)).toBe(true);
});

test('beyond those that run and those that may wait, a hash is refused at once', async () => {
  const narrow = createPasswordHasher({ running: 1, waiting: 2, cost });
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => narrow.hash('a long password')));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(outcomes[4]).toMatchObject({ reason: { kind: 'overloaded', code: 'overloaded' } });
  await expect(narrow.hash('a long password')).resolves.toMatch(/^scrypt/);
});

test('no more hashes run at once than allowed', async () => {
  const narrow = createPasswordHasher({ running: 1, waiting: 10, cost });
  const order: number[] = [];
  await Promise.all([0, 1, 2].map((turn) => narrow.hash('a long password').then(() => order.push(turn))));
  expect(order).toEqual([0, 1, 2]);
});
