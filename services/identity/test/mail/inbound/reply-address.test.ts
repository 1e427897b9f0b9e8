import { randomBytes } from 'node:crypto';
import { newId } from '@app/kernel';
import { createReplyAddresses, type ReplyTarget } from '../../../mail/inbound/reply-address.ts';

const key = (id: string) => ({ id, secret: randomBytes(32) });
const old = key('old');
const keys = [key('new'), old];
const addresses = createReplyAddresses({ keys, domain: 'Reply.example' });
const at = new Date('2026-11-28T10:00:00Z');
const target: ReplyTarget = { userId: newId(at), ticketId: newId(at), kind: 'managers' };
const address = addresses.addressOf(target, at);
const token = addresses.tokenIn(address) ?? '';

test('an address says whose answer becomes what, within the length of a local part', () => {
  expect(address.split('@')[0]).toHaveLength(64);
  expect(addresses.read(token, at)).toMatchObject(target);
  const bounce = { userId: target.userId, ticketId: null, kind: 'bounce' } as const;
  expect(addresses.read(addresses.tokenIn(addresses.addressOf(bounce, at)) ?? '', at)).toMatchObject(bounce);
});

test('it is found among others, whatever became of its letter case', () => {
  expect(addresses.tokenIn(`a@b.test, "Us" <${address.toUpperCase()}>`)).toBe(token);
  expect(addresses.tokenIn(`reply+${token}@elsewhere.test reply+x@reply.example`)).toBeNull();
});

test('no character of it can be changed', () => {
  for (let place = 0; place < token.length; place += 1) {
    const other = token[place] === '0' ? '1' : '0';
    expect(addresses.read(token.slice(0, place) + other + token.slice(place + 1), at)).toBeNull();
  }
});

test('it lasts 180 days, and as long as its key', () => {
  const after = (days: number) => new Date(at.getTime() + days * 24 * 3_600_000);
  expect(addresses.read(token, after(179))).toEqual({ ...target, isExpired: false });
  expect(addresses.read(token, after(181))).toEqual({ ...target, isExpired: true });
  const before = createReplyAddresses({ keys: [old], domain: 'reply.example' });
  const earlier = addresses.tokenIn(before.addressOf(target, at)) ?? '';
  expect(addresses.read(earlier, at)).toMatchObject(target);
  expect(before.read(token, at)).toBeNull();
});
