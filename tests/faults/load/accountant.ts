import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './accounts.ts';
import type { Ledger } from './ledger.ts';

const everyMs = 500;

type Waiting = { id: string; externalId: string };

/** Works through what waits for a person: clears reviews, and links each invoice to the ticket that it was made for. */
export class Accountant {
  readonly #account: Account;
  readonly #ledger: Ledger;
  readonly #linked = new Set<string>();

  constructor({ account, ledger }: { account: Account; ledger: Ledger }) {
    this.#account = account;
    this.#ledger = ledger;
  }

  async work(isOver: (isEverythingPlaced: boolean) => boolean): Promise<void> {
    while (!isOver(this.#isEverythingPlaced())) {
      for (const one of await this.#list('/invoices/in-review')) await this.#clear(one);
      for (const one of await this.#list('/invoices')) await this.#link(one);
      await delay(everyMs);
    }
  }

  #isEverythingPlaced(): boolean {
    return this.#ofPeople().every(({ key }) => this.#linked.has(key));
  }

  #ofPeople() {
    return this.#ledger.of(this.#account.name, 'invoice').filter(({ detail }) => detail === 'by hand');
  }

  async #list(path: string): Promise<Waiting[]> {
    const outcome = await this.#account.ts({ line: `GET ${path}?limit=200`, isRepeatable: true });
    return outcome === 'unknown' || outcome.status !== 200 ? [] : (outcome.data['items'] as Waiting[]);
  }

  async #clear({ id, externalId }: Waiting): Promise<void> {
    const known = this.#ofPeople().find(({ key }) => key === externalId);
    if (!known) return;
    const outcome = await this.#account.ts({ line: `POST /invoices/${id}/clear-review`, isRepeatable: true });
    this.#note('review', externalId, known.ticket, outcome !== 'unknown' && outcome.status === 200);
  }

  async #link({ id, externalId }: Waiting): Promise<void> {
    const known = this.#ofPeople().find(({ key }) => key === externalId);
    if (!known?.ticket) return;
    const viewId = await this.#viewOf(known.ticket);
    if (!viewId) return;
    const body = { ticketId: known.ticket, viewId };
    const outcome = await this.#account.ts({ line: `POST /invoices/${id}/link`, body, isRepeatable: true });
    const isDone = outcome !== 'unknown' && outcome.status === 200;
    this.#note('link', externalId, known.ticket, isDone);
    if (isDone) this.#linked.add(externalId);
    else if (outcome !== 'unknown' && outcome.status < 500)
      this.#ledger.violate(`the link of ${id} was answered ${outcome.status} ${JSON.stringify(outcome.data)}`);
  }

  async #viewOf(ticket: string): Promise<string | undefined> {
    const outcome = await this.#account.client({ line: `GET /tickets/${ticket}`, isRepeatable: true });
    if (outcome === 'unknown' || outcome.status !== 200) return undefined;
    const views = outcome.data['views'] as { _id: string; role: string }[];
    return views.find(({ role }) => role === 'contractor')?._id;
  }

  #note(kind: 'link' | 'review', key: string, ticket: string | undefined, isDone: boolean): void {
    const state = isDone ? 'acknowledged' : 'unknown';
    this.#ledger.add({ kind, key, account: this.#account.name, state, ...(ticket ? { ticket } : {}) });
  }
}
