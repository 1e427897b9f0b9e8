import { contractorLinked, ticketStatusChanged } from '@app/contracts';
import { eventFixture } from '@app/testing';
import { withdrawViews, withStatus } from '../../../tickets/lifecycle/decision.ts';
import { linkContractor } from '../../../tickets/lifecycle/link-contractor.ts';
import { aContractor, later, worked } from '../fixtures.ts';

const linked = eventFixture(contractorLinked).data;
const contractor = aContractor();
/** A ticket whose contractor is the one that the event names, and has no account yet. */
const unlinked = worked('assigned', { ...contractor, candidate: { id: linked.contractor_id, company_id: '' } });
const ticket = {
  ...unlinked,
  views: unlinked.views.map((view) => (view.role === 'client' ? view : { ...view, company_id: null })),
};

test('the contractor of the frozen event gets its view, and the events of a ticket that is new to it', () => {
  const decision = linkContractor(ticket, linked, later);
  expect(decision.ticket.views[1]).toMatchObject({ company_id: linked.company_id, status: 'assigned' });
  expect(decision.events).toMatchObject([
    {
      type: ticketStatusChanged.type,
      data: { audience: [linked.company_id], payload: { status: { from: null, to: 'assigned' } } },
    },
  ]);
});

test('the same event again changes nothing', () => {
  const { ticket: once } = linkContractor(ticket, linked, later);
  expect(linkContractor(once, linked, later)).toEqual({ ticket: once, events: [] });
});

test.each([
  ['the contractor is out of it', withdrawViews(ticket, 'active'), 'canceled'],
  ['it is removed', withStatus(ticket, 'removed'), 'removed'],
] as const)('on a ticket where %s by then the contractor gets its view, and no event', (_what, over, status) => {
  const { ticket: after, events } = linkContractor(over, linked, later);
  expect(after.views[1]).toMatchObject({ company_id: linked.company_id, status });
  expect(events).toEqual([]);
});
