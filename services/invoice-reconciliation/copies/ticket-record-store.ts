import type { PurchaseFacts, TicketFacts } from '@app/contracts';
import { purchaseKeys, ticketKeys } from '@app/matching';
import { amountKey } from '../invoices/amount-key.ts';
import { contractorsOf, type IndexedCopy, type TicketRecord } from './ticket-copies-store.ts';

/** What stands for a ticket that is not known yet, from the first of its purchase documents on: no version is older. */
export const unknownVersion = -1;
const keysKept = 1_000;
const closedStatuses = ['draft', 'canceled', 'removed'];

export const owed = ({ revision }: TicketRecord) => ({ owed: revision + 1 });

export function newRecord(facts: TicketFacts): TicketRecord {
  return { ...recordOf(facts, []), ...(mayHaveInvoices(facts) ? { owed: 1 } : {}), _id: facts.id, revision: 1 };
}

export function newestOf(all: TicketFacts[]): TicketFacts[] {
  const newest = new Map<string, TicketFacts>();
  for (const facts of all)
    if ((newest.get(facts.id)?.version ?? unknownVersion) < facts.version) newest.set(facts.id, facts);
  return [...newest.values()];
}

export function recordOf(facts: TicketFacts, purchases: PurchaseFacts[]): Omit<TicketRecord, '_id' | 'revision'> {
  const { version, client_id, status } = facts;
  return {
    ...{ version, client_id, facts, purchases, ...lookedUpBy(facts, purchases) },
    ...{ open: !closedStatuses.includes(status), contractor_ids: contractorsOf(facts) },
    ...{ created_at: new Date(facts.created_at), updated_at: new Date(facts.updated_at) },
  };
}

/** A draft has no invoices, and none wait for it. */
export function mayHaveInvoices({ status }: TicketFacts): boolean {
  return status !== 'draft';
}

/** A purchase document of another company is none of the ticket's. */
export function isOf(clientId: string, { buyer_company_id }: PurchaseFacts): boolean {
  return buyer_company_id === clientId;
}

export function versionsOf(purchases: readonly PurchaseFacts[]): string {
  return purchases
    .map(({ id, version }) => `${id}:${version}`)
    .sort()
    .join();
}

export function lookedUpBy(facts: TicketFacts, live: PurchaseFacts[]): Pick<IndexedCopy, 'keys' | 'amounts'> {
  const all = [ticketKeys(facts), ...live.map(purchaseKeys)];
  const cents = [...new Set(all.flatMap((one) => one.cents))];
  return {
    keys: [...new Set(all.flatMap(({ keys }) => keys))].slice(0, keysKept),
    amounts: contractorsOf(facts)
      .flatMap((one) => cents.map((amount) => amountKey(one, amount)))
      .slice(0, keysKept),
  };
}
