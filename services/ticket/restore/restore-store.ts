import type { KnownThing } from '@app/contracts';
import { existingIn, knownIn, type RestoreParticipant } from '@app/service/restore';
import type { Connection } from 'mongoose';

type Named = { _id: string; name?: string | null; company_id?: string };
type Tickets = { _id: string; number: string; views: { _id: string }[] };
type Purchase = { _id: string; ticket_id: string; kind: string; reference: string; deleted: boolean };
type Line = { _id: string; ticket_id: string | null; reference?: string };

/** What this service has, its own and of others, as a restore asks for it, in the order of ids. By the driver: it goes through all. */
export function createRestoreQueries(connection: Connection): Required<Pick<RestoreParticipant, 'known' | 'existing'>> {
  const of = <T extends { _id: string }>(name: string) => connection.collection<T>(name);
  const tickets = of<Tickets>('tickets');
  const thing = (id: string, label: string, within: string | null = null): KnownThing => ({ id, label, within });
  return {
    known: {
      companies: knownIn(of<Named>('company_projections'), {
        projection: { name: 1 },
        thingsOf: ({ _id, name }) => [thing(_id, name ?? '')],
      }),
      users: knownIn(of<Named>('user_projections'), {
        projection: { company_id: 1 },
        thingsOf: ({ _id, company_id = '' }) => [thing(_id, `of company ${company_id}`)],
      }),
      purchases: knownIn(of<Purchase>('purchase_projections'), {
        filter: { deleted: false },
        projection: { ticket_id: 1, kind: 1, reference: 1 },
        thingsOf: ({ _id, ticket_id, kind, reference }) => [thing(_id, `${kind} ${reference}`, ticket_id)],
      }),
      // Also of removed lines: the restore undoes a removal that came after the backup.
      invoices: knownIn(of<Line>('invoice_lines'), {
        projection: { ticket_id: 1, reference: 1 },
        thingsOf: ({ _id, ticket_id, reference = '' }) => [thing(_id, reference, ticket_id)],
      }),
    },
    existing: {
      tickets: existingIn(tickets),
      contractors: existingIn(of('contractors')),
      locations: existingIn(of<{ _id: string; kind: string }>('referentials'), { kind: 'location' }),
      async views(things) {
        const ids = things.flatMap(({ within }) => within ?? []);
        const found = await tickets.find({ _id: { $in: ids } }, { projection: { 'views._id': 1 } }).toArray();
        const views = new Set(found.flatMap((ticket) => ticket.views.map(({ _id }) => _id)));
        return { ids: things.flatMap(({ id }) => (views.has(id) ? [id] : [])) };
      },
    },
  };
}
