import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxProvider } from '@app/sandbox-provider';
import type { Random } from '../../../tools/bench/matching/random.ts';
import { anInvoice, signatureOf, webhookPath } from '../../e2e/invoicing.ts';
import type { Account } from './accounts.ts';
import type { Client, Outcome, Request } from './client.ts';
import type { Kind, Ledger } from './ledger.ts';

export type LoadOptions = {
  accounts: Account[];
  ledger: Ledger;
  provider: SandboxProvider;
  /** The second API without credentials, for the provider's webhooks. */
  anyone: Client;
  randomOf: (worker: number) => Random;
  workersPerAccount?: number;
  /** Resolves when an integrator may go on with its next step; without it, each rests for a moment. */
  pace?: () => Promise<void>;
};

export type Load = { stop(): Promise<void> };

const betweenMs = { least: 50, most: 400 };

/** Integrators at work until `stop`: each works through one ticket after the other. */
export function startLoad(options: LoadOptions): Load {
  const { accounts, randomOf, workersPerAccount = 2, ...shared } = options;
  let stopped = false;
  const workers = accounts.flatMap((account, at) =>
    Array.from({ length: workersPerAccount }, (_, index) => {
      const random = randomOf(at * workersPerAccount + index);
      return new Integrator({ ...shared, account, random }).work(() => stopped);
    }),
  );
  return {
    async stop() {
      stopped = true;
      await Promise.all(workers);
    },
  };
}

type IntegratorOptions = Omit<LoadOptions, 'accounts' | 'randomOf' | 'workersPerAccount'> & {
  account: Account;
  random: Random;
};
type Write = { kind: Kind; key: string; ticket?: string; detail?: string; good: number[] };

/**
 * Ends the work on a ticket, since the outcome of a step is not known and the next ones depend on
 * it.
 */
class TicketAbandoned extends Error {}

class Integrator {
  readonly #account: Account;
  readonly #ledger: Ledger;
  readonly #provider: SandboxProvider;
  readonly #anyone: Client;
  readonly #random: Random;
  readonly #pace: () => Promise<void>;

  constructor({ account, ledger, provider, anyone, random, pace }: IntegratorOptions) {
    this.#account = account;
    this.#ledger = ledger;
    this.#provider = provider;
    this.#anyone = anyone;
    this.#random = random;
    this.#pace = pace ?? (() => delay(random.whole(betweenMs.least, betweenMs.most)));
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      try {
        await this.#workOnTicket(isOver);
      } catch (error) {
        if (!(error instanceof TicketAbandoned))
          this.#ledger.violate(`an integrator failed: ${(error as Error).stack}`);
      }
      await this.#pace();
    }
  }

  async #workOnTicket(isOver: () => boolean): Promise<void> {
    const { client } = this.#account;
    const title = this.#ledger.newKey('ticket');
    const created = await this.#write(
      client,
      { line: 'POST /tickets', body: { title }, isRepeatable: false },
      { kind: 'ticket', key: title, good: [201] },
    );
    const ticket = String(created['ticket_id']);
    await this.#expectShown(`GET /tickets/${ticket}`, (read) => read['title'] === title, title);
    const body = { contractor_id: this.#account.contractorId };
    await this.#move(ticket, { line: `POST /tickets/${ticket}/assign`, body, isRepeatable: true }, 'assigned');

    const steps = ['note', 'answer', 'document', 'purchase', 'invoice'] as const;
    let hasInvoice = false;
    for (let left = this.#random.whole(2, 5); left > 0 && !isOver(); left--) {
      const step = this.#random.one(steps);
      hasInvoice ||= step === 'invoice';
      await this.#step(step, ticket);
      await this.#pace();
    }
    // Left open, so that the invoice finds its ticket.
    if (hasInvoice || this.#random.chance(0.3)) return;
    await this.#move(ticket, { line: `PUT /tickets/${ticket}/finish`, isRepeatable: true }, 'finished');
    if (this.#random.chance(0.5))
      await this.#move(ticket, { line: `PUT /tickets/${ticket}/close`, isRepeatable: true }, 'closed');
  }

  #step(step: 'note' | 'answer' | 'document' | 'purchase' | 'invoice', ticket: string): Promise<void> {
    if (step === 'note') return this.#note(this.#account.client, ticket);
    if (step === 'answer') return this.#note(this.#account.contractor, ticket);
    if (step === 'document') return this.#document(ticket);
    return this.#purchase(ticket, step === 'invoice');
  }

  async #move(ticket: string, request: Request, status: string): Promise<void> {
    const write = { kind: 'move' as const, key: `${ticket} ${status}`, ticket, detail: status, good: [200] };
    await this.#write(this.#account.client, request, write);
    await this.#expectShown(`GET /tickets/${ticket}`, (read) => read['status'] === status, `${ticket} is ${status}`);
  }

  async #note(author: Client, ticket: string): Promise<void> {
    const note = this.#ledger.newKey('note');
    const request = { line: `POST /tickets/${ticket}/notes`, body: { note, type: 'public' }, isRepeatable: false };
    await this.#write(author, request, { kind: 'note', key: note, ticket, good: [201] });
    await this.#expectShown(
      `GET /tickets/${ticket}/notes`,
      (read) => (read['notes'] as { note: string }[]).some((one) => one.note === note),
      note,
    );
  }

  async #document(ticket: string): Promise<void> {
    const { name, form, hash } = this.#file('document');
    const request = { line: `POST /tickets/${ticket}/documents`, form, isRepeatable: false };
    await this.#write(this.#account.client, request, {
      kind: 'document',
      key: name,
      ticket,
      detail: hash,
      good: [201],
    });
    await this.#expectDocumentShown(ticket, name);
  }

  async #purchase(ticket: string, isInvoiced: boolean): Promise<void> {
    const reference = this.#ledger.newKey('BC').replace(' ', '-').toUpperCase();
    const body = { kind: 'purchase_order', reference, amount: 100 };
    const line = `POST /tickets/${ticket}/purchases`;
    const created = await this.#write(
      this.#account.client,
      { line, body, isRepeatable: true },
      { kind: 'purchase', key: reference, ticket, good: [200, 201] },
    );
    const { id } = created['purchase'] as { id: string };
    await this.#expectShown(
      `GET /tickets/${ticket}`,
      (read) => (read['purchases'] as { reference: string }[]).some((one) => one.reference === reference),
      reference,
    );
    if (isInvoiced) await this.#invoice(ticket, reference);
    if (this.#random.chance(0.5)) return;
    const { name, form, hash } = this.#file('order');
    await this.#write(
      this.#account.client,
      { line: `${line}/${id}/document`, form, isRepeatable: false },
      { kind: 'purchase file', key: name, ticket, detail: hash, good: [200] },
    );
    await this.#expectDocumentShown(ticket, name);
  }

  /**
   * Puts an invoice of the supplier at the provider, which notifies the platform once or twice, or
   * leaves it to be found by a poll.
   */
  async #invoice(ticket: string, reference: string): Promise<void> {
    const number = this.#ledger.newKey('FA').replace(' ', '-');
    const fields = anInvoice({ number, references: { purchase_order: reference } }) as Record<string, unknown>;
    const bytes = pdf(number);
    const document = this.#random.chance(0.5) ? { name: `${number}.pdf`, type: 'application/pdf', bytes } : null;
    const { apiKey, secret } = this.#account.provider;
    const { id } = this.#provider.put(apiKey, fields, document);
    this.#ledger.add({ kind: 'invoice', key: id, account: this.#account.name, state: 'acknowledged', ticket });
    for (let times = this.#random.whole(0, 2); times > 0; times--) {
      const body = JSON.stringify({ clientId: this.#account.companyId, events: [{ invoiceId: id }] });
      const headers = { 'content-type': 'application/json', ...signatureOf(body, secret) };
      await this.#anyone({ line: `POST ${webhookPath}`, body: Buffer.from(body), headers, isRepeatable: true });
    }
  }

  /** @throws TicketAbandoned unless the write is acknowledged */
  async #write(client: Client, request: Request, { good, ...entry }: Write): Promise<Record<string, unknown>> {
    const outcome = await client(request);
    const isGood = outcome !== 'unknown' && good.includes(outcome.status);
    const state = isGood ? 'acknowledged' : 'unknown';
    this.#ledger.add({ ...entry, account: this.#account.name, state });
    if (isGood) return outcome.data;
    if (outcome !== 'unknown') this.#unexpected(request.line, outcome);
    throw new TicketAbandoned();
  }

  /** The first answer after an acknowledged write shows it. */
  async #expectShown(line: string, shows: (read: Record<string, unknown>) => boolean, what: string): Promise<void> {
    const outcome = await this.#account.client({ line, isRepeatable: true });
    if (outcome !== 'unknown' && outcome.status !== 200) this.#unexpected(line, outcome);
    if (outcome === 'unknown' || outcome.status !== 200) throw new TicketAbandoned();
    if (!shows(outcome.data)) this.#ledger.violate(`${line} did not show what was acknowledged: ${what}`);
  }

  #expectDocumentShown(ticket: string, name: string): Promise<void> {
    const shows = (read: Record<string, unknown>) =>
      (read['documents'] as { name: string }[]).some((document) => document.name === name);
    return this.#expectShown(`GET /tickets/${ticket}/documents?limit=200`, shows, name);
  }

  #unexpected(line: string, outcome: Exclude<Outcome, 'unknown'>): void {
    // The client has reported these.
    if (outcome.status >= 500) return;
    this.#ledger.violate(`${line} was answered ${outcome.status} ${JSON.stringify(outcome.data).slice(0, 300)}`);
  }

  #file(kind: string) {
    const name = `${this.#ledger.newKey(kind).replace(' ', '-')}.pdf`;
    const bytes = pdf(name, this.#random.whole(100, 50_000));
    const form = () => {
      const made = new FormData();
      made.append('file', new Blob([bytes]), name);
      return made;
    };
    return { name, form, hash: createHash('sha256').update(bytes).digest('hex') };
  }
}

/** No other file has these bytes. */
function pdf(text: string, size = 200): Buffer<ArrayBuffer> {
  return Buffer.from(`%PDF-1.4\n% ${text}\n${' '.repeat(size)}\n%%EOF\n`);
}
