import { randomUUID } from 'node:crypto';
import type { Random } from '@app/demo';
import type { Account } from './accounts.ts';
import type { Client, Outcome, Request } from './client.ts';
import type { Kind, Ledger } from './ledger.ts';

export type Write = { kind: Kind; key: string; ticket?: string; detail?: string; good: number[] };

/**
 * Ends the work on a ticket, since the outcome of a step is not known and the next ones depend on
 * it.
 */
export class TicketAbandoned extends Error {}

/** Writes of an account and the reads that must show them, in its ledger. */
export class Writes {
  readonly #account: Account;
  readonly #ledger: Ledger;
  readonly #random: Random;

  constructor({ account, ledger, random }: { account: Account; ledger: Ledger; random: Random }) {
    this.#account = account;
    this.#ledger = ledger;
    this.#random = random;
  }

  /**
   * Creates something, half of the time with an `Idempotency-Key`: then it is repeated until there is an answer, and sometimes sent twice
   * at once.
   */
  async create(client: Client, line: string, body: unknown, write: Write): Promise<Record<string, unknown>> {
    const content = typeof body === 'function' ? { form: body as () => FormData } : { body };
    if (this.#random.chance(0.5)) return this.write(client, { line, ...content, isRepeatable: false }, write);
    const request = { line, ...content, headers: { 'idempotency-key': randomUUID() }, isRepeatable: true };
    return this.write(client, request, write, this.#random.chance(0.3));
  }

  /** @throws TicketAbandoned unless the write is acknowledged */
  async write(
    client: Client,
    request: Request,
    { good, ...entry }: Write,
    isTwiceAtOnce = false,
  ): Promise<Record<string, unknown>> {
    const outcomes = await Promise.all(isTwiceAtOnce ? [client(request), client(request)] : [client(request)]);
    const answers = outcomes.filter((outcome) => outcome !== 'unknown');
    const acknowledged = answers.find(({ status }) => good.includes(status));
    this.#ledger.add({
      ...entry,
      account: this.#account.name,
      state: acknowledged ? 'acknowledged' : 'unknown',
    });
    for (const answer of answers) if (!good.includes(answer.status)) this.#unexpected(request.line, answer);
    if (acknowledged) return acknowledged.data;
    throw new TicketAbandoned();
  }

  /** The first answer after an acknowledged write shows it. */
  async expectShown(line: string, shows: (read: Record<string, unknown>) => boolean, what: string): Promise<void> {
    return this.#expect(this.#account.client, line, shows, what);
  }

  expectListed(line: string, name: string, isThere: boolean): Promise<void> {
    const shows = (read: Record<string, unknown>) =>
      (read['items'] as { name: string }[]).some((one) => one.name === name) === isThere;
    return this.#expect(this.#account.ts, line, shows, name);
  }

  async #expect(
    client: Client,
    line: string,
    shows: (read: Record<string, unknown>) => boolean,
    what: string,
  ): Promise<void> {
    const outcome = await client({ line, isRepeatable: true });
    if (outcome !== 'unknown' && outcome.status !== 200) this.#unexpected(line, outcome);
    if (outcome === 'unknown' || outcome.status !== 200) throw new TicketAbandoned();
    if (!shows(outcome.data)) this.#ledger.violate(`${line} did not show what was acknowledged: ${what}`);
  }

  expectDocumentShown(ticket: string, name: string): Promise<void> {
    const shows = (read: Record<string, unknown>) =>
      (read['documents'] as { name: string }[]).some((document) => document.name === name);
    return this.expectShown(`GET /tickets/${ticket}/documents?limit=200`, shows, name);
  }

  #unexpected(line: string, outcome: Exclude<Outcome, 'unknown'>): void {
    // The client has reported these.
    if (outcome.status >= 500) return;
    this.#ledger.violate(`${line} was answered ${outcome.status} ${JSON.stringify(outcome.data).slice(0, 300)}`);
  }
}

/** Waits for all of them, then @throws what the first that failed has thrown. */
export async function allOf(steps: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
