import { join } from 'node:path';
import type { Logger } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { WorkerKilled, WorkerPool } from '@app/runtime/workers';
import type { CompanyStore } from '../../companies/company-store.ts';
import { hashOf } from '../../random-secret.ts';
import { startSession } from '../../sessions/session.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { PreferencesStore } from '../../users/preferences-store.ts';
import type { User } from '../../users/user.ts';
import type { UserStore } from '../../users/user-store.ts';
import { retryAt } from '../account-mail.ts';
import type { AccountMailStore } from '../account-mail-store.ts';
import { countInbound } from '../mail-metrics.ts';
import type { MailSource } from '../mail-worker.ts';
import type { InboundMail, InboundMailStore } from './inbound-mail-store.ts';
import type { InboundContent } from './read-mail.ts';
import type { Outcome, Task } from './read-mail-worker.ts';
import type { RefusalReason } from './refusal-mail.ts';
import type { ReplyAddresses, ReplyTarget } from './reply-address.ts';
import type { TicketApi } from './ticket-api.ts';

export type AnswerDeps = {
  inboundMails: InboundMailStore;
  addresses: ReplyAddresses;
  mails: Pick<AccountMailStore, 'add'>;
  users: Pick<UserStore, 'find' | 'noteBounce' | 'clearBounce'>;
  companies: Pick<CompanyStore, 'find'>;
  preferences: Pick<PreferencesStore, 'find'>;
  sessions: Pick<SessionStore, 'add' | 'end'>;
  tickets: TicketApi;
  transaction: <T>(work: (session: NonNullable<Within['session']>) => Promise<T>) => Promise<T>;
  logger: Logger;
  now: () => Date;
};

/** What became of an e-mail. */
type Outcomes =
  | { result: 'noted' | 'ignored' | 'bounced' }
  | { result: 'refused'; reason: RefusalReason; to: string | null; locale?: string | null; files?: string[] };

const ignored = { result: 'ignored' } as const;
const maxNote = 10_000;
const maxFiles = 10;
const maxHeaderBytes = 32 * 1024;
/** Shorter than Idempotency-Keys are kept, by which a repeated try adds nothing twice. */
const triedForMs = 12 * 3_600_000;
const sessionMs = 15 * 60_000;

/** Much memory for its size: an empty line costs hundreds of bytes. */
const readerLimits = { size: 1, timeoutMs: 20_000, memoryMb: 192, reuseBelowMs: 2_000, idleMs: 30_000 };

/** Makes notes of e-mails that came in, each once however often it is tried, under a session of its writer. */
export function createAnswers(deps: AnswerDeps): { source: MailSource<InboundMail>; close(): Promise<void> } {
  const { inboundMails } = deps;
  const program = join(import.meta.dirname, 'read-mail-worker.ts');
  const pool = new WorkerPool<Task, Outcome>({ program, ...readerLimits });
  return {
    source: {
      name: 'inbound',
      dueKeys: inboundMails.dueKeys,
      claim: inboundMails.claim,
      release: inboundMails.release,
      renew: inboundMails.renew,
      run: (mail) => run(deps, pool, mail),
    },
    close: () => pool.close(),
  };
}

async function run(deps: AnswerDeps, pool: WorkerPool<Task, Outcome>, mail: InboundMail): Promise<void> {
  const { inboundMails, logger, now } = deps;
  const outcome = await outcomeOf(deps, pool, mail).catch(async (error) => {
    logger.warn('an e-mail that came in could not be dealt with', { mailId: mail.id, tries: mail.tries, error });
    const next = retryAt(mail.tries, now());
    if (next.getTime() - mail.received_at.getTime() < triedForMs) await inboundMails.retryAt(mail, next);
    else return { result: 'refused', reason: 'failed', to: await senderOf(pool, mail) } as const;
    return null;
  });
  if (outcome) await finish(deps, mail, outcome);
}

async function finish(deps: AnswerDeps, mail: InboundMail, outcome: Outcomes): Promise<void> {
  const { inboundMails, mails, transaction, logger, now } = deps;
  const finished = await transaction(async (session) => {
    if (!(await inboundMails.finish(mail, { session }))) return false;
    if (outcome.result !== 'refused' || outcome.to === null) return true;
    const { to: email, reason, files = [], locale = null } = outcome;
    const at = now();
    // The same for all of a day, so that nobody is told twice.
    const id = `refusal.${at.toISOString().slice(0, 10)}.${hashOf(email)}`;
    const about = { refusal: { reason, files }, email, locale, user_id: null };
    await mails.add({ id, kind: 'refusal', ...about, created_at: at, tries: 0 }, { session });
    return true;
  });
  if (!finished) return;
  countInbound.inc({ result: outcome.result });
  const reason = outcome.result === 'refused' ? { reason: outcome.reason } : {};
  logger.info('e-mail that came in', { mailId: mail.id, result: outcome.result, ...reason });
}

async function outcomeOf(deps: AnswerDeps, pool: WorkerPool<Task, Outcome>, mail: InboundMail): Promise<Outcomes> {
  const { addresses, users, preferences, now } = deps;
  // No answer to an e-mail of ours: what is in the mailbox besides is told nothing, as its senders may be forged.
  const target = mail.token === null ? null : addresses.read(mail.token, mail.received_at);
  if (target === null) return ignored;
  const whole = await read(pool, mail.raw);
  // Its header says at least who sent it.
  const content = whole ?? (await read(pool, headerOf(mail.raw)));
  if (content === null) return ignored;
  if (target.kind === 'bounce') {
    if (!content.isBounce) return ignored;
    await users.noteBounce(target.userId, now());
    return { result: 'bounced' };
  }
  const to = content.from;
  if (content.isAutomatic || content.isBounce || to === null) return ignored;
  const user = await users.find(target.userId);
  if (!user || target.isExpired) return { result: 'refused', reason: 'sender', to };
  const { locale } = await preferences.find(user.id);
  const refuse = (reason: RefusalReason, files?: string[]): Outcomes => {
    return { result: 'refused', reason, to, locale, ...(files ? { files } : {}) };
  };
  const company = await deps.companies.find(user.company_id);
  if (to !== user.email || !user.active || company?.closed_at !== null) return refuse('sender');
  if (whole === null && !mail.isTooLarge) return refuse('failed');
  const { text, files } = content;
  if (mail.isTooLarge || text.length > maxNote || (text === '' && files.length === 0)) return refuse('content');
  const written = await write(deps, { mail, target, user, content });
  if (written.refused) return refuse('ticket');
  await users.clearBounce(user.id, now());
  return written.files.length > 0 ? refuse('files', written.files) : { result: 'noted' };
}

/** Null if it cannot be read within the bounds. */
async function read(pool: WorkerPool<Task, Outcome>, raw: Uint8Array): Promise<InboundContent | null> {
  try {
    const { result } = await pool.run({ raw });
    return 'content' in result ? result.content : null;
  } catch (error) {
    if (error instanceof WorkerKilled) return null;
    throw error;
  }
}

async function senderOf(pool: WorkerPool<Task, Outcome>, mail: InboundMail): Promise<string | null> {
  const content = await read(pool, headerOf(mail.raw)).catch(() => null);
  return content && !content.isAutomatic ? content.from : null;
}

function headerOf(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const ends = ['\r\n\r\n', '\n\n'].map((end) => bytes.indexOf(end)).filter((at) => at !== -1);
  return raw.subarray(0, Math.min(maxHeaderBytes, ...ends));
}

type Answer = { mail: InboundMail; target: ReplyTarget; user: User; content: InboundContent };

/** The note first, which shows whether the user may write there. @returns the names of files that were not taken */
async function write(deps: AnswerDeps, { mail, target, user, content }: Answer) {
  const { sessions, tickets, now } = deps;
  const { text, files } = content;
  const at = now();
  const session = startSession(user, { address: '', userAgent: 'e-mail' }, at);
  const token = await sessions.add({ ...session, address: null, expires_at: new Date(at.getTime() + sessionMs) });
  const to = (part: string) => ({ ticketId: target.ticketId ?? '', session: token, key: `mail-${mail.id}-${part}` });
  try {
    if (text !== '') {
      const { code } = await tickets.addNote(to('note'), { note: text, type: target.kind });
      if (code !== null) return { refused: true, files: [] };
    }
    // Every colleague would see what is for managers alone.
    const taken = target.kind === 'managers' ? [] : files.slice(0, maxFiles);
    const visibility = target.kind === 'public' ? 'shared' : 'internal';
    const refused = files.slice(taken.length).map(({ name }) => name);
    for (const [nth, file] of taken.entries()) {
      const { code } = await tickets.addDocument(to(`file-${nth}`), file, visibility);
      if (code !== null) refused.push(file.name);
    }
    return { refused: text === '' && refused.length === files.length, files: refused };
  } finally {
    await sessions.end(session.id, user.id);
  }
}
