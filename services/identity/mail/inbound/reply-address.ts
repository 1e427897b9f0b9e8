import { createHmac, timingSafeEqual } from 'node:crypto';

/** What an e-mail to the address becomes: a note of this type; or `bounce`: it says that one of ours could not be delivered. */
const kinds = ['internal', 'managers', 'public', 'bounce'] as const;
export type ReplyKind = (typeof kinds)[number];

/** Whose address it is. `ticketId`: null for bounces, which are of a user. */
export type ReplyTarget = { userId: string; ticketId: string | null; kind: ReplyKind };

export type ReplyAddresses = ReturnType<typeof createReplyAddresses>;

type Key = { secret: Buffer };

const dayMs = 24 * 3_600_000;
const validDays = 180;
const noTicket = '0'.repeat(24);
/** 27 bytes and their MAC in base 32, since letter case gets lost on the way: with `reply+` the 64 characters that RFC 5321 allows. */
const macBytes = 9;
const contentBytes = 27;
const tokenLength = Math.ceil(((contentBytes + macBytes) * 8) / 5);

/** Addresses that say, sealed with a MAC, what an answer to them becomes. The first key seals, all open. */
export function createReplyAddresses({ keys, domain }: { keys: Key[]; domain: string }) {
  const macOf = (content: Buffer, secret: Buffer) =>
    createHmac('sha256', secret).update('reply-address.v1').update(content).digest().subarray(0, macBytes);
  const prefix = 'reply+';
  const suffix = `@${domain.toLowerCase()}`;
  return {
    addressOf({ userId, ticketId, kind }: ReplyTarget, at: Date): string {
      const content = Buffer.alloc(contentBytes);
      content.write(userId + (ticketId ?? noTicket), 'hex');
      content.writeUInt16BE(Math.floor(at.getTime() / dayMs) + validDays, 24);
      content.writeUInt8(kinds.indexOf(kind), 26);
      const sealed = Buffer.concat([content, macOf(content, (keys[0] as Key).secret)]);
      return `${prefix}${base32(sealed)}${suffix}`;
    },
    /** The token of the first address that is one of ours, whoever made it; null if there is none. */
    tokenIn(text: string): string | null {
      const lower = text.toLowerCase();
      for (let at = lower.indexOf(prefix); at !== -1; at = lower.indexOf(prefix, at + 1)) {
        const end = at + prefix.length + tokenLength;
        if (lower.startsWith(suffix, end)) return lower.slice(at + prefix.length, end);
      }
      return null;
    },
    /** Null if the token was not made here. It is expired after 180 days. */
    read(token: string, at: Date): (ReplyTarget & { isExpired: boolean }) | null {
      const sealed = fromBase32(token);
      if (!sealed) return null;
      const content = sealed.subarray(0, contentBytes);
      const mac = sealed.subarray(contentBytes);
      if (!keys.some(({ secret }) => timingSafeEqual(macOf(content, secret), mac))) return null;
      const ticket = content.toString('hex', 12, 24);
      return {
        userId: content.toString('hex', 0, 12),
        ticketId: ticket === noTicket ? null : ticket,
        kind: kinds[content.readUInt8(26)] as ReplyKind,
        isExpired: content.readUInt16BE(24) * dayMs < at.getTime(),
      };
    },
  };
}

function base32(bytes: Buffer): string {
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(tokenLength, '0');
}

function fromBase32(token: string): Buffer | null {
  if (token.length !== tokenLength || !/^[0-9a-v]+$/.test(token)) return null;
  let value = 0n;
  for (const digit of token) value = value * 32n + BigInt(Number.parseInt(digit, 32));
  const hex = value.toString(16).padStart(2 * (contentBytes + macBytes), '0');
  return hex.length > 2 * (contentBytes + macBytes) ? null : Buffer.from(hex, 'hex');
}
