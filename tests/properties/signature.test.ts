import fc from 'fast-check';
import { verifyWebhook } from '../../libs/webhook-verifier/index.js';
import { signatureHeader } from '../../services/webhook-dispatcher/sending/signature.ts';
import { checkProperty } from './check-property.ts';

const secret = fc.string({ minLength: 20, maxLength: 60 }).map((text) => `whsec_${text}`);
const moment = fc.integer({ min: 1_600_000_000, max: 2_000_000_000 });
const body = fc
  .record({ event: fc.string(), data: fc.dictionary(fc.string(), fc.jsonValue()) })
  .map((event) => Buffer.from(JSON.stringify({ ...event, created_at: '2026-11-22T10:00:00.000Z' })));

function isVerified(sent: Uint8Array, header: string, { key, at }: { key: string; at: number }): boolean {
  try {
    verifyWebhook(sent, { 'X-Service-Signature': header }, key, { now: () => at * 1000 });
    return true;
  } catch {
    return false;
  }
}

test('what we sign is verified, until it is too old or from too far ahead', () => {
  checkProperty(
    fc.property(body, secret, moment, fc.integer({ min: -1_000, max: 1_000 }), (sent, key, at, drift) => {
      const header = signatureHeader(key, sent, new Date(at * 1000));
      expect(isVerified(sent, header, { key, at: at + drift })).toBe(Math.abs(drift) <= 300);
    }),
  );
});

test('one changed byte of the body, another secret or another time is refused', () => {
  const byte = fc.integer({ min: 1, max: 255 });
  checkProperty(
    fc.property(body, secret, secret, moment, fc.nat(), byte, (sent, key, other, at, place, by) => {
      fc.pre(other !== key);
      const header = signatureHeader(key, sent, new Date(at * 1000));
      const changed = Buffer.from(sent);
      changed[place % changed.length] = (changed[place % changed.length] as number) ^ by;
      expect(isVerified(changed, header, { key, at })).toBe(false);
      expect(isVerified(sent, header, { key: other, at })).toBe(false);
      expect(isVerified(sent, header.replace(`t=${at}`, `t=${at + 1}`), { key, at })).toBe(false);
    }),
  );
});

test('no header, whatever it holds, is more than refused', () => {
  checkProperty(
    fc.property(body, secret, fc.string({ maxLength: 300 }), (sent, key, header) => {
      expect(isVerified(sent, header, { key, at: 1_700_000_000 })).toBe(false);
    }),
  );
});
