import { newId } from '@app/kernel';
import type { PrecedingInvoice } from '@app/matching';
import { createBatcher } from '@app/runtime';
import type { Connection } from 'mongoose';
import { claimsWanted, type Twin } from './identity.ts';
import type { Invoice } from './invoice.ts';
import { epoch, invoicesOf, unsent } from './invoice-store.ts';
import { createOnTicketStore, type OnTicketStore } from './on-ticket-store.ts';
import { createQuestions, type Question } from './questions-store.ts';

/** What changed of tickets or of a contractor, as the invoices of the queue are found by it. */
export type Change = {
  client_id: string;
  references?: string[];
  amounts?: string[];
  /** Tickets. */
  suggested?: string[];
  siren?: string | null;
  suppliers?: string[];
};

/** What matching asks of the invoices that there are: each by its index, each with an upper bound. */
export type MatchStore = OnTicketStore & {
  /** Those that have one of the keys, and whoever holds what the invoice would claim. */
  twins(invoice: Invoice, keys: string[]): Promise<Twin[]>;
  /** Invoices of the client under one of these keys (`precedingKey`), newest first. */
  preceding(clientId: string, keys: string[]): Promise<PrecedingInvoice[]>;
  /** The IBANs of a contractor that links by hand have confirmed. */
  ibans(clientId: string, contractorId: string): Promise<string[]>;
  /** The contractors on whom links by hand have put invoices of this VAT number (`vatKey`). */
  suppliersOfVat(clientId: string, vat: string): Promise<string[]>;
  /** Has the invoices of the queue that the change may concern looked at again; those that are to be already, are once. */
  mark(change: Change, at: Date): Promise<void>;
  /** Takes invoices that are due: whoever takes one has it for as long as `until` is away. */
  takeDue(now: Date, until: Date, limit: number): Promise<Invoice[]>;
  takeRematch(now: Date, until: Date, limit: number): Promise<Invoice[]>;
};

const askedAtOnce = 100;
const pauseMs = 8;
const mostTwins = 50;
const mostTwinsTogether = 1_000;
/** For one change; for many at once as much as for that many. */
const mostMarked = 500;
const mostChanges = 10;
/** Within which all are looked at again that are more than that. */
const spreadMs = 300_000;

type Known = Pick<Invoice, 'client_id'> & { supplier_id: string };

function knownBy({ client_id, supplier_id }: Known): object[] {
  return [
    { $match: { client_id, supplier_id, confirmed_iban: { $gt: '' } } },
    { $group: { _id: '$confirmed_iban' } },
    { $set: { client_id, supplier_id } },
  ];
}

type TwinRecord = Twin & Pick<Invoice, 'keys'>;
const ofTwins = {
  ...{ canonical: 1, content: 1, claims: 1, ticket_id: 1, reasons: 1, acknowledged: 1 },
  ...{ state: 1, provider_status: 1, 'keys.twins': 1 },
} as const;
export function createMatchStore({ connection }: { connection: Connection }): MatchStore {
  const { collection } = invoicesOf(connection);
  const queued = { state: 'ticket_unmatched' as const, rematch_at: null };

  /** The due ones by their index, then each for whoever comes first: it bears the name of the taking. */
  async function take(field: 'due_at' | 'rematch_at', { now, limit, set }: Taking): Promise<Invoice[]> {
    const due = { $gt: epoch, $lte: now };
    const found = collection.find({ [field]: due }, { projection: { _id: 1 }, hint: indexOf[field] });
    const ids = (
      await found
        .sort({ [field]: 1 })
        .limit(limit)
        .toArray()
    ).map(({ _id }) => _id);
    if (ids.length === 0) return [];
    const taken_by = newId();
    // What a crash loses of this is taken again, so it need not be on the disk first.
    const options = { hint: '_id_', writeConcern: { w: 1 } } as const;
    await collection.updateMany({ _id: { $in: ids }, [field]: due }, { $set: { ...set, taken_by } }, options);
    return collection.find({ _id: { $in: ids }, taken_by }, { projection: unsent }).toArray();
  }

  const twins = createQuestions<Question, TwinRecord>({
    valuesOf: ({ keys }) => keys.twins,
    find: ({ clientId, values }, limit) =>
      collection
        .find({ client_id: clientId, 'keys.twins': { $in: values } }, { projection: ofTwins, hint: 'twins' })
        .limit(limit)
        .toArray(),
    // The invoice itself may be among them.
    limit: mostTwins + 1,
    limitTogether: mostTwinsTogether,
  });

  const holdersOf = (clientId: string, claims: string[]) =>
    collection
      .find({ client_id: clientId, claims: { $in: claims, $gt: '' } }, { projection: ofTwins, hint: 'claims' })
      .toArray();

  /** Of each once, all in one question, each by its own few steps through the index. */
  async function ibansOf(asked: Known[]): Promise<string[][]> {
    const nameOf = ({ client_id, supplier_id }: Known) => `${client_id} ${supplier_id}`;
    const [first = [], ...others] = [...new Map(asked.map((one) => [nameOf(one), one])).values()].map(knownBy);
    const united = others.map((pipeline) => ({ $unionWith: { coll: collection.collectionName, pipeline } }));
    const found = await collection.aggregate<Known & { _id: string }>([...first, ...united]).toArray();
    const byName = Map.groupBy(found, nameOf);
    return asked.map((one) => (byName.get(nameOf(one)) ?? []).map(({ _id }) => _id));
  }
  const ibans = createBatcher({ maxBatch: askedAtOnce, maxDelayMs: pauseMs, run: ibansOf });

  /** Every one of this SIREN whose supplier is unknown (domain.md section 3, rule 7): spread out, so that others get their turn. */
  async function markUnresolved(client_id: string, siren: string, at: Date): Promise<void> {
    const unresolved = { client_id, 'keys.siren': siren, supplier_id: null, ...queued };
    const rematch_at = { $add: [at, { $multiply: [{ $rand: {} }, spreadMs] }] };
    await collection.updateMany(unresolved, [{ $set: { rematch_at } }], { hint: 'siren' });
  }

  return {
    ...createOnTicketStore({ connection }),
    async twins(invoice, keys) {
      const { _id, client_id } = invoice;
      const found = await twins({ clientId: client_id, values: keys });
      // Where there are more (everything is called "N/A"), those that hold what it would claim may not be among them.
      const holders = found.length > mostTwins ? await holdersOf(client_id, claimsWanted(invoice)) : [];
      const all = new Map([...holders, ...found].map((twin) => [twin._id, twin]));
      return [...all.values()].filter((twin) => twin._id !== _id);
    },
    async preceding(client_id, keys) {
      if (keys.length === 0) return [];
      const found = collection.find(
        { client_id, 'keys.twins': { $in: keys } },
        { projection: { 'canonical.number': 1, ticket_id: 1 }, hint: 'twins' },
      );
      const invoices = await found.limit(mostTwins).toArray();
      return invoices.map(({ _id, canonical, ticket_id }) => ({
        id: _id,
        number: canonical?.number ?? '',
        ticketId: ticket_id,
      }));
    },
    ibans: (client_id, supplier_id) => ibans.add({ client_id, supplier_id }),
    async suppliersOfVat(client_id, vat) {
      const linked = [{ $match: { client_id, confirmed_vat: vat } }, { $group: { _id: '$supplier_id' } }];
      const found = await collection.aggregate<{ _id: string | null }>([...linked, { $limit: mostTwins }], {
        hint: 'vat',
      });
      return (await found.toArray()).flatMap(({ _id }) => _id ?? []);
    },
    async mark({ client_id, references = [], amounts = [], suggested = [], siren, suppliers = [] }, at) {
      const branches: object[] = [
        references.length > 0 ? { 'keys.references': { $in: references } } : null,
        amounts.length > 0 ? { 'keys.amounts': { $in: amounts } } : null,
        suggested.length > 0 ? { 'suggestions.ticketId': { $in: suggested } } : null,
        siren ? { 'keys.siren': siren } : null,
        // Last, and by its index the newest first: these may be many.
        suppliers.length > 0 ? { supplier_ids: { $in: suppliers } } : null,
      ].flatMap((branch) => (branch ? [{ client_id, ...queued, ...branch }] : []));
      if (branches.length === 0) return;
      const limit = mostMarked * Math.max(1, Math.min(suggested.length, mostChanges));
      const found = await collection
        .find({ $or: branches }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      const ids = found.map(({ _id }) => _id);
      if (ids.length > 0) await collection.updateMany({ _id: { $in: ids }, ...queued }, { $set: { rematch_at: at } });
      if (siren && ids.length === limit) await markUnresolved(client_id, siren, at);
    },
    takeDue: (now, until, limit) => take('due_at', { now, limit, set: { due_at: until } }),
    // The mark goes: a change that comes during the work sets it again. The lease has the work done if this process ends.
    takeRematch: (now, until, limit) => take('rematch_at', { now, limit, set: { rematch_at: null, due_at: until } }),
  };
}

type Taking = { now: Date; limit: number; set: Partial<Invoice> };
const indexOf = { due_at: 'due', rematch_at: 'rematch' } as const;
