import { createHash, randomUUID } from 'node:crypto';
import type { SandboxProvider } from '@app/demo';
import { type Random, shuffled } from '@app/demo';
import { anInvoice, signatureOf, webhookPath } from '../../e2e/invoicing.ts';
import type { Account } from './accounts.ts';
import type { Client, Request } from './client.ts';
import type { Entry, Ledger } from './ledger.ts';
import { allOf, TicketAbandoned, Writes } from './writes.ts';

type IntegratorOptions = {
  account: Account;
  ledger: Ledger;
  provider: SandboxProvider;
  anyone: Client;
  spareUrl: string;
  random: Random;
  pace: () => Promise<void>;
};

/** How an invoice finds its ticket: by the reference of an order, or through an accountant, whose queue or review it waits in. */
type Finding = 'by reference' | 'in the queue' | 'in review';

type Job = { ticket: string; isEdited: boolean; isInvoiced: boolean };

const steps = [
  'note',
  'answer',
  'document',
  'edit',
  'order',
  'invoice',
  'unplaced invoice',
  'wrong invoice',
  'quote',
  'date',
  'endpoint',
  'user',
] as const;
type Step = (typeof steps)[number];
/** Nothing else is done on the ticket meanwhile. */
const movesTicket: ReadonlySet<Step> = new Set(['quote', 'date']);

const dayMs = 86_400_000;

export class Integrator {
  readonly #account: Account;
  readonly #ledger: Ledger;
  readonly #provider: SandboxProvider;
  readonly #anyone: Client;
  readonly #spareUrl: string;
  readonly #random: Random;
  readonly #pace: () => Promise<void>;
  readonly #writes: Writes;
  readonly #left: Step[] = [];
  #hasSpareEndpoint = false;

  constructor({ account, ledger, provider, anyone, spareUrl, random, pace }: IntegratorOptions) {
    this.#account = account;
    this.#ledger = ledger;
    this.#provider = provider;
    this.#anyone = anyone;
    this.#spareUrl = spareUrl;
    this.#random = random;
    this.#pace = pace;
    this.#writes = new Writes({ account, ledger, random });
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
    const created = await this.#writes.create(
      client,
      'POST /tickets',
      { title },
      { kind: 'ticket', key: title, good: [201] },
    );
    const ticket = String(created['ticket_id']);
    await this.#writes.expectShown(`GET /tickets/${ticket}`, (read) => read['title'] === title, title);
    const body = { contractor_id: this.#account.contractorId };
    await this.#move(ticket, { line: `POST /tickets/${ticket}/assign`, body, isRepeatable: true }, 'assigned');

    const job: Job = { ticket, isEdited: false, isInvoiced: false };
    for (let left = this.#random.whole(2, 5); left > 0 && !isOver(); ) {
      const steps = this.#nextSteps();
      left -= steps.length;
      await allOf(steps.map((step) => this.#take(step, job)));
      await this.#pace();
    }
    // Left open with an invoice, so that it finds its ticket.
    if (job.isInvoiced || this.#random.chance(0.3)) return;
    await this.#move(ticket, { line: `PUT /tickets/${ticket}/finish`, isRepeatable: true }, 'finished');
    if (this.#random.chance(0.5))
      await this.#move(ticket, { line: `PUT /tickets/${ticket}/close`, isRepeatable: true }, 'closed');
  }

  /** One, or two that are done at once. Every kind comes before one comes again. */
  #nextSteps(): Step[] {
    if (this.#left.length === 0) this.#left.push(...shuffled(steps, this.#random));
    const [first, second] = this.#left as [Step, Step | undefined];
    const together = second && !(movesTicket.has(first) || movesTicket.has(second)) && this.#random.chance(0.5);
    return this.#left.splice(0, together ? 2 : 1);
  }

  #take(step: Step, job: Job): Promise<void> {
    const { ticket } = job;
    const { client, contractor } = this.#account;
    switch (step) {
      case 'note':
        return this.#note(client, ticket);
      case 'answer':
        return this.#note(contractor, ticket);
      case 'document':
        return this.#document(ticket);
      case 'edit':
        return this.#edit(job);
      case 'order':
        return this.#order(ticket).then(() => undefined);
      case 'invoice':
        return this.#invoice(job, 'by reference');
      case 'unplaced invoice':
        return this.#invoice(job, 'in the queue');
      case 'wrong invoice':
        return this.#invoice(job, 'in review');
      case 'quote':
        return this.#quote(ticket);
      case 'date':
        return this.#date(ticket);
      case 'endpoint':
        return this.#endpoint();
      case 'user':
        return this.#user();
    }
  }

  async #move(ticket: string, request: Request, status: string): Promise<void> {
    const write = { kind: 'move' as const, key: `${ticket} ${status}`, ticket, detail: status, good: [200] };
    await this.#writes.write(this.#account.client, request, write);
    await this.#writes.expectShown(
      `GET /tickets/${ticket}`,
      (read) => read['status'] === status,
      `${ticket} is ${status}`,
    );
  }

  async #note(author: Client, ticket: string): Promise<void> {
    const note = this.#ledger.newKey('note');
    const body = { note, type: 'public' };
    await this.#writes.create(author, `POST /tickets/${ticket}/notes`, body, {
      kind: 'note',
      key: note,
      ticket,
      good: [201],
    });
    await this.#writes.expectShown(
      `GET /tickets/${ticket}/notes`,
      (read) => (read['notes'] as { note: string }[]).some((one) => one.note === note),
      note,
    );
  }

  /** Once for each ticket: a second value could be overwritten by a late repeat of the first. */
  async #edit(job: Job): Promise<void> {
    const { ticket } = job;
    if (job.isEdited) return;
    job.isEdited = true;
    const description = this.#ledger.newKey('edit');
    const request = { line: `PATCH /tickets/${ticket}`, body: { description }, isRepeatable: true };
    await this.#writes.write(this.#account.client, request, { kind: 'edit', key: description, ticket, good: [200] });
    await this.#writes.expectShown(
      `GET /tickets/${ticket}`,
      (read) => read['description'] === description,
      description,
    );
  }

  async #document(ticket: string): Promise<void> {
    const { name, form, hash } = this.#file('document');
    const write = { kind: 'document' as const, key: name, ticket, detail: hash, good: [201] };
    await this.#writes.create(this.#account.client, `POST /tickets/${ticket}/documents`, form, write);
    await this.#writes.expectDocumentShown(ticket, name);
  }

  async #quote(ticket: string): Promise<void> {
    const reference = this.#ledger.newKey('D').replace(' ', '-');
    const { form: file } = this.#file('quote');
    const form = () => {
      const made = file();
      made.append('reference', reference);
      made.append('price', '90');
      return made;
    };
    const write = { kind: 'quote' as const, key: reference, ticket, good: [201] };
    const added = await this.#writes.create(this.#account.contractor, `POST /tickets/${ticket}/quotes`, form, write);
    const { _id: id } = added['quote'] as { _id: string };
    const request = { line: `PUT /tickets/${ticket}/quotes/${id}/validate`, isRepeatable: true };
    const key = `${reference} validated`;
    await this.#writes.write(this.#account.client, request, { kind: 'quote decision', key, ticket, good: [200] });
    const shows = (read: Record<string, unknown>) =>
      (read['quotes'] as { _id: string; validated_at: string | null }[]).some(
        (one) => one._id === id && one.validated_at !== null,
      );
    await this.#writes.expectShown(`GET /tickets/${ticket}`, shows, key);
  }

  /** So far away that it does not pass in a run, whatever the clocks say. */
  async #date(ticket: string): Promise<void> {
    const start = Date.now() + 30 * dayMs + this.#random.whole(0, dayMs);
    const key = new Date(start).toISOString();
    const body = { type: 'planned', start, end: start + 3_600_000 };
    const write = { kind: 'date' as const, key, ticket, good: [201] };
    await this.#writes.create(this.#account.contractor, `POST /tickets/${ticket}/dates`, body, write);
    const shows = (read: Record<string, unknown>) => (read['intervention_scheduled_at'] as string[]).includes(key);
    await this.#writes.expectShown(`GET /tickets/${ticket}`, shows, key);
  }

  /** @returns the reference of the order */
  async #order(ticket: string): Promise<string> {
    const { client } = this.#account;
    const reference = this.#newReference('BC');
    const body = { kind: 'purchase_order', reference, amount: 100 };
    const line = `POST /tickets/${ticket}/purchases`;
    // Repeatable without a key, too: the reference is one.
    const write = { kind: 'purchase' as const, key: reference, ticket, good: [200, 201] };
    const isTwice = this.#random.chance(0.3);
    const created = await this.#writes.write(client, { line, body, isRepeatable: true }, write, isTwice);
    const { id } = created['purchase'] as { id: string };
    await this.#writes.expectShown(
      `GET /tickets/${ticket}`,
      (read) => (read['purchases'] as { reference: string }[]).some((one) => one.reference === reference),
      reference,
    );
    if (this.#random.chance(0.5)) await this.#changeOrder(ticket, id);
    if (this.#random.chance(0.5)) return reference;
    const { name, form, hash } = this.#file('order');
    const file = { kind: 'purchase file' as const, key: name, ticket, detail: hash, good: [200] };
    await this.#writes.create(client, `${line}/${id}/document`, form, file);
    await this.#writes.expectDocumentShown(ticket, name);
    return reference;
  }

  async #changeOrder(ticket: string, id: string): Promise<void> {
    const key = this.#ledger.newKey('system');
    const request = {
      line: `PATCH /tickets/${ticket}/purchases/${id}`,
      body: { source_system: key },
      isRepeatable: true,
    };
    await this.#writes.write(this.#account.client, request, { kind: 'purchase edit', key, ticket, good: [200] });
  }

  /**
   * Puts an invoice of the supplier at the provider, which notifies the platform once or twice, or
   * leaves it to be found by a poll. Once for each ticket: what goes beyond its orders is for a person.
   */
  async #invoice(job: Job, finding: Finding): Promise<void> {
    if (job.isInvoiced) return;
    job.isInvoiced = true;
    const number = this.#newReference('FA');
    const fields = { number, ...(await this.#invoiceFields(job, finding)) };
    const document = this.#random.chance(0.5)
      ? { name: `${number}.pdf`, type: 'application/pdf', bytes: pdf(number) }
      : null;
    const { apiKey, secret } = this.#account.provider;
    const { id } = this.#provider.put(apiKey, anInvoice(fields) as Record<string, unknown>, document);
    this.#ledger.add({
      kind: 'invoice',
      key: id,
      account: this.#account.name,
      state: 'acknowledged',
      ticket: job.ticket,
      detail: finding === 'by reference' ? 'by machine' : 'by hand',
    });
    for (let times = this.#random.whole(0, 2); times > 0; times--) {
      const body = JSON.stringify({ clientId: this.#account.companyId, events: [{ invoiceId: id }] });
      const headers = { 'content-type': 'application/json', ...signatureOf(body, secret) };
      await this.#anyone({ line: `POST ${webhookPath}`, body: Buffer.from(body), headers, isRepeatable: true });
    }
  }

  async #invoiceFields({ ticket }: Job, finding: Finding): Promise<object> {
    if (finding === 'by reference') return { references: { purchase_order: await this.#order(ticket) } };
    // An amount that no order has; its sum is wrong if it is to be reviewed.
    const wrongBy = finding === 'in review' ? 50 : 0;
    return {
      amounts: { ht: '4321.00', tva: '864.20', ttc: (5185.2 + wrongBy).toFixed(2) },
      vat_breakdown: [{ rate: '0.20', base: '4321.00', amount: '864.20' }],
    };
  }

  /** An endpoint for events that do not come; one of them stays. */
  async #endpoint(): Promise<void> {
    const { ts, name: account } = this.#account;
    const name = this.#ledger.newKey('endpoint');
    const body = { name, url: this.#spareUrl, events: ['ticket.report_added'] };
    const entry = { kind: 'endpoint' as const, key: name, good: [201] };
    const { id } = await this.#writes.create(ts, 'POST /webhooks/endpoints', body, entry);
    await this.#writes.expectListed('GET /webhooks/endpoints', name, true);
    if (!this.#hasSpareEndpoint) {
      this.#hasSpareEndpoint = true;
      return;
    }
    const made = this.#ledger.of(account, 'endpoint').find(({ key }) => key === name) as Entry;
    const outcome = await ts({ line: `DELETE /webhooks/endpoints/${id}`, isRepeatable: true });
    // 404: an earlier try of the same request.
    const isEnded = outcome !== 'unknown' && [204, 404].includes(outcome.status);
    made.state = isEnded ? 'ended' : 'unknown';
    if (isEnded) await this.#writes.expectListed('GET /webhooks/endpoints', name, false);
  }

  /** A user whom the operator adds, and whom an administrator of the company gives another name. */
  async #user(): Promise<void> {
    const { operator, ts, companyId } = this.#account;
    const email = `${this.#ledger.newKey('user').replace(' ', '-')}@example.com`;
    const names = { first_name: 'Ada', last_name: 'Martin' };
    const body = { company_id: companyId, email, password: randomUUID(), ...names, permissions: ['tickets'] };
    const request = { line: 'POST /admin/users', body, isRepeatable: false };
    const { id } = await this.#writes.write(operator, request, { kind: 'user', key: email, good: [201] });
    const name = this.#ledger.newKey('Ada');
    const change = { line: `PATCH /company/users/${id}`, body: { first_name: name }, isRepeatable: true };
    await this.#writes.write(ts, change, { kind: 'user', key: name, good: [200] });
  }

  #newReference(prefix: string): string {
    return this.#ledger.newKey(prefix).replace(' ', '-').toUpperCase();
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
