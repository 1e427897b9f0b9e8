import { contractorLinked } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import { linkContractor } from '../tickets/link-contractor.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';

const batchSize = 100;

/** When a contractor gets an account, its tickets become visible to its company, with one event each. */
export function contractorLinkSubscriptions({ tickets }: { tickets: TicketStore }): Subscription[] {
  return [
    on(contractorLinked, async ({ data }) => {
      for (;;) {
        const ids = await tickets.withUnlinkedContractor(data.contractor_id, batchSize);
        for (const id of ids) await tickets.change(id, (ticket, at) => linkContractor(ticket, data, at));
        if (ids.length < batchSize) return;
      }
    }),
  ];
}
