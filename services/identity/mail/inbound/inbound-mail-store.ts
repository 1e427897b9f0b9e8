import { createHash } from 'node:crypto';
import { collectionOf, documentSchema } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { claimBatch, findDueKeys, type Lease } from '@app/work-queue';
import type { Connection } from 'mongoose';
import type { ReplyAddresses } from './reply-address.ts';

/** An e-mail that came in and waits. `raw`: as RFC 5322 has it, the beginning alone if it is too large. */
export type InboundMail = {
  id: string;
  /** Of the address that it was sent to; null if that is none of ours. */
  token: string | null;
  raw: Uint8Array;
  isTooLarge: boolean;
  tries: number;
  received_at: Date;
  leaseId: string;
};

/** E-mails that came in, each until it is dealt with; that it was is remembered. */
export type InboundMailStore = ReturnType<typeof createInboundMailStore>;

type MailDocument = {
  _id: string;
  /** The user whose address it was sent to, '-' for none: users take turns. */
  user_id: string;
  /** Absent once it is dealt with, as `raw` and `dueAt` are. */
  token?: string | null;
  raw?: Buffer;
  isTooLarge: boolean;
  dueAt?: Date;
  lease: string | null;
  tries: number;
  received_at: Date;
  expires_at: Date;
};

/** How long it is known that an e-mail came in: longer than any server tries to deliver it. */
const rememberedMs = 30 * 24 * 3_600_000;

const mailSchema = documentSchema<MailDocument>('inbound_mails');
mailSchema.index({ user_id: 1, dueAt: 1 }, { name: 'due' });
mailSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

type Deps = { connection: Connection; addresses: ReplyAddresses };

export function createInboundMailStore({ connection, addresses }: Deps) {
  // By the driver: claims, and megabytes that nothing has to convert.
  const records = collectionOf(connection.model<MailDocument>('InboundMail', mailSchema));
  return {
    /** Keeps an e-mail, unless the same one was kept before, whichever way each came. @returns the user whose turn it waits for */
    async add(raw: Buffer, at: Date, { isTooLarge = false } = {}): Promise<string> {
      const { token, messageId } = envelopeOf(raw, addresses);
      const hash = createHash('sha256').update(`${token}\n`);
      const _id = hash.update(messageId ?? raw).digest('base64url');
      const user_id = (token && addresses.read(token, at)?.userId) || '-';
      const state = { isTooLarge, dueAt: at, lease: null, tries: 0, received_at: at };
      const expires_at = new Date(at.getTime() + rememberedMs);
      const $setOnInsert = { user_id, token, raw, ...state, expires_at };
      await records.updateOne({ _id }, { $setOnInsert }, { upsert: true });
      return user_id;
    },
    dueKeys: (after: string, limit: number, at: Date): Promise<string[]> =>
      findDueKeys(records, 'user_id', { after, limit, at }),
    async claim(user_id: string, limit: number, { id: leaseId, from, until }: Lease): Promise<InboundMail[]> {
      const claimed = await claimBatch(records, {
        due: { user_id, dueAt: { $gt: new Date(0), $lte: from } },
        sort: { dueAt: 1 },
        limit,
        hint: 'due',
        update: { $set: { dueAt: until, lease: leaseId } },
        marked: { lease: leaseId },
      });
      return claimed.map(({ _id: id, token = null, raw, isTooLarge, tries, received_at }) => {
        return { id, token, raw: bytesOf(raw), isTooLarge, tries, received_at, leaseId };
      });
    },
    /** Forgets its content; false if another process has it by now. */
    async finish(mail: InboundMail, within: Within): Promise<boolean> {
      const done = { $unset: { raw: 1, token: 1, dueAt: 1 }, $set: { lease: null } } as const;
      return (await records.updateOne(underLease(mail), done, within)).matchedCount === 1;
    },
    async retryAt(mail: InboundMail, at: Date): Promise<void> {
      await records.updateOne(underLease(mail), { $set: { dueAt: at, lease: null }, $inc: { tries: 1 } });
    },
    async renew(mail: InboundMail, until: Date): Promise<void> {
      await records.updateOne(underLease(mail), { $set: { dueAt: until } });
    },
    async release(mail: InboundMail, at: Date): Promise<void> {
      await records.updateOne(underLease(mail), { $set: { dueAt: at, lease: null } });
    },
    /** Removes what came from a user, who is erased. */
    async removeOf(user_id: string, within: Within): Promise<void> {
      await records.deleteMany({ user_id }, within);
    },
  };
}

function underLease({ id, leaseId }: InboundMail) {
  return { _id: id, lease: leaseId };
}

/** The driver reads binary values as its own type. */
function bytesOf(raw: unknown): Uint8Array {
  return (raw as { buffer: Uint8Array }).buffer;
}

const maxHeaderBytes = 256 * 1024;
const recipientHeaders = /^(?:to|cc|delivered-to|x-original-to|x-forwarded-to|envelope-to|x-envelope-to|resent-to):/i;
const messageIdHeader = /^message-id:\s*(\S{1,998})/i;

/** To which of our addresses it was sent, and its `Message-ID`, from its header alone. */
function envelopeOf(raw: Buffer, addresses: ReplyAddresses): { token: string | null; messageId: string | null } {
  const lines = raw.subarray(0, maxHeaderBytes).toString('latin1').split(/\r?\n/);
  const end = lines.indexOf('');
  let token: string | null = null;
  let messageId: string | null = null;
  for (const header of unfolded(end === -1 ? lines : lines.slice(0, end))) {
    if (recipientHeaders.test(header)) token ??= addresses.tokenIn(header);
    messageId ??= messageIdHeader.exec(header)?.[1] ?? null;
  }
  return { token, messageId };
}

function unfolded(lines: string[]): string[] {
  const headers: string[][] = [];
  for (const line of lines) {
    if (/^[ \t]/.test(line)) headers.at(-1)?.push(line);
    else headers.push([line]);
  }
  return headers.map((parts) => parts.join(''));
}
