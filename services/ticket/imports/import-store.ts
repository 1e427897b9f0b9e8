import { AppError, newId } from '@app/kernel';
import { documentSchema } from '@app/runtime';
import { hashOf, type ProtectedWrite, transactionOnce } from '@app/runtime/idempotency';
import type { ClientSession, Connection } from 'mongoose';
import type { VersionedContractor } from '../contractors/contractor.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import { editTicket } from '../creation/edit-ticket.ts';
import type { CustomField } from '../referentials/referential.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';
import type { Actor, Ticket } from '../tickets/ticket.ts';
import type { Csv } from './csv.ts';
import { type Entry, type EntryKind, type EntryRow, planEntries } from './entry-plan.ts';
import { contractorBearers, ticketBearers, ticketsNamed } from './field-bearers.ts';
import { planFieldValues } from './field-value-plan.ts';
import { type Counts, countsOf, type RowPlan, verdictOf } from './row-plan.ts';

/** What a client imports: entries of a list, or values of the custom fields of its contractors or tickets. */
export type Import = { clientId: string } & (
  | { kind: EntryKind; rows: readonly EntryRow[] }
  | { kind: 'contractor_field'; csv: Csv }
  | { kind: 'ticket_field'; csv: Csv; actor: Exclude<Actor, { party: 'timer' }> }
);

/** `preview`: a hash of all that would be written; null if a row has faults. */
export type Preview = { preview: string | null; rows: RowPlan<unknown>[] };

export type ImportStore = ReturnType<typeof createImportStore>;

type Deps = {
  connection: Connection;
  referentials: Pick<ReferentialStore, 'all' | 'saveAll' | 'hold'>;
  contractors: Pick<ContractorStore, 'all' | 'saveFields'>;
  tickets: Pick<TicketStore, 'ofClient' | 'changeAllWithin'>;
  now: () => Date;
};

/** One document a client: its imports conflict, so that two files at once do not make the same new entry each. */
const lockSchema = documentSchema<{ _id: string; imports: number }>('import_locks');

type Planned = Preview & {
  /** @returns what is to be called after the commit */
  save(session: ClientSession): Promise<() => void>;
};

export function createImportStore({ connection, ...deps }: Deps) {
  const locks = connection.model('ImportLock', lockSchema);

  return {
    /** @throws ValidationError; AppError conflict `too_many_entries` */
    async preview(wanted: Import): Promise<Preview> {
      const { preview, rows } = await plan(deps, wanted, null);
      return { preview, rows };
    },
    /**
     * Writes what the preview said, in one transaction. @throws what `preview` throws; AppError conflict `import_outdated` if it
     * would write something else by now
     */
    async apply(wanted: Import, preview: string, write: ProtectedWrite | null): Promise<Counts> {
      let committed: () => void = () => undefined;
      const counts = await transactionOnce(write, connection, async (session) => {
        await locks.updateOne({ _id: wanted.clientId }, { $inc: { imports: 1 } }, { upsert: true, session });
        const planned = await plan(deps, wanted, session);
        if (planned.preview !== preview) throw outdated();
        committed = await planned.save(session);
        return countsOf(planned.rows);
      });
      committed();
      return counts;
    },
  };
}

function plan(deps: Omit<Deps, 'connection'>, wanted: Import, session: ClientSession | null): Promise<Planned> {
  if (wanted.kind === 'ticket_field') return planTickets(deps, wanted, session);
  return wanted.kind === 'contractor_field' ? planValues(deps, wanted, session) : planList(deps, wanted, session);
}

async function planList(
  { referentials, now }: Omit<Deps, 'connection'>,
  { clientId: client_id, kind, rows: given }: Extract<Import, { kind: EntryKind }>,
  session: ClientSession | null,
): Promise<Planned> {
  const live = (await referentials.all({ client_id, kind }, session)) as Entry[];
  const isPlaced = given.some(({ links }) => links.location_id !== undefined);
  const places = isPlaced ? ((await referentials.all({ client_id, kind: 'location' }, session)) as Entry[]) : [];
  const { rows, locked } = planEntries({ client_id, kind }, given, { live, places });
  return {
    ...previewOf(rows),
    async save(within) {
      const lasting = lastingIds(rows, now());
      await referentials.hold(
        client_id,
        locked.filter((id) => !lasting.has(id)),
        within,
      );
      const changed = changesIn(rows).map(({ before, after }) => ({ before, after: withIds(after, lasting) }));
      return referentials.saveAll(changed, within);
    },
  };
}

async function planValues(
  { referentials, contractors }: Omit<Deps, 'connection'>,
  { clientId, csv }: Extract<Import, { kind: 'contractor_field' }>,
  session: ClientSession | null,
): Promise<Planned> {
  const fields = (await referentials.all({ client_id: clientId, kind: 'custom_field' }, session)) as CustomField[];
  const rows = planFieldValues(csv, fields, contractorBearers(await contractors.all(clientId, session)));
  return {
    ...previewOf(rows),
    async save(within) {
      const changed: VersionedContractor[] = changesIn(rows).map(({ after }) => after);
      if (changed.length > 0) await contractors.saveFields(changed, within);
      return () => undefined;
    },
  };
}

async function planTickets(
  { referentials, tickets, now }: Omit<Deps, 'connection'>,
  { clientId, csv, actor }: Extract<Import, { kind: 'ticket_field' }>,
  session: ClientSession | null,
): Promise<Planned> {
  const fields = (await referentials.all({ client_id: clientId, kind: 'custom_field' }, session)) as CustomField[];
  const found = await tickets.ofClient(clientId, ticketsNamed(csv), session);
  const rows = planFieldValues(csv, fields, ticketBearers(found, actor, now()));
  return {
    ...previewOf(rows),
    async save(within) {
      const byId = new Map(found.map((ticket) => [ticket._id, ticket]));
      const log = { operation: 'edit', by: actor.user, details: () => ({ text: 'fields' }) } as const;
      const changes = changesIn(rows).map(({ after: { _id, sent } }) => ({
        before: byId.get(_id) as Ticket,
        decide: (ticket: Ticket, at: Date) => editTicket(ticket, actor, at, { fields: sent }),
      }));
      return tickets.changeAllWithin(changes, log, within);
    },
  };
}

function previewOf(rows: RowPlan<unknown>[]): Preview {
  const isFaulty = rows.some((row) => verdictOf(row) === 'faulty');
  return { preview: isFaulty ? null : hashOf(rows.map(({ before, after }) => [before, after])), rows };
}

function changesIn<Thing>(rows: RowPlan<Thing>[]): { before: Thing | null; after: Thing }[] {
  return rows.flatMap(({ before, after }) => (after === null || after === before ? [] : [{ before, after }]));
}

/** The ids of new entries, by those that the plan gave them. */
function lastingIds(rows: RowPlan<Entry>[], at: Date): Map<string, string> {
  return new Map(rows.flatMap(({ before, after }) => (before || !after ? [] : [[after._id, newId(at)]])));
}

function withIds(entry: Entry, lasting: Map<string, string>): Entry {
  const id = <Id extends string | null>(planned: Id) => (lasting.get(planned ?? '') ?? planned) as Id;
  const { _id, parent_id } = entry;
  const own = { _id: id(_id), parent_id: id(parent_id) };
  if (entry.kind === 'equipment') return { ...entry, ...own };
  return { ...entry, ...own, location_facturation_id: id(entry.location_facturation_id) };
}

function outdated(): AppError {
  const message = 'this file would change something else than its preview said; look at a new preview';
  return new AppError('conflict', 'import_outdated', message);
}
