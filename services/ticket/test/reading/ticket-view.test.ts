import { ticketResponse } from '../../reading/ticket-response.ts';
import { assignView, withViewFor } from '../../tickets/lifecycle/decision.ts';
import type { Ticket } from '../../tickets/ticket.ts';
import { aContractor, at, clientId, worked } from '../tickets/fixtures.ts';

const [a, b] = [aContractor(), aContractor()];
const referentials = {
  locations: new Map(),
  equipments: new Map(),
  jobs: new Map(),
  domains: new Map(),
  fields: new Map(),
};

function shownTo(ticket: Ticket, companyId: string, companyKind: 'client' | 'contractor') {
  const related = {
    contractors: new Map(),
    users: new Map(),
    purchases: new Map(),
    invoices: new Map(),
    clockSettings: new Map(),
    referentials,
  } as never;
  return ticketResponse(ticket, {
    viewer: { companyId, companyKind },
    related,
    baseUrl: 'http://api.test',
    consoleUrl: null,
    now: at,
  });
}

const creatorFor = (...given: Parameters<typeof shownTo>) => shownTo(...given)['created_by'];

test('without a console the url of a ticket is its address in the API', () => {
  const ticket = worked('assigned', a);
  const self = `http://api.test/api/v3.0/tickets/${ticket._id}`;
  expect(shownTo(ticket, clientId, 'client')).toMatchObject({ url: self, self });
});

test('the creator of a ticket is shown to its client and to its own company, never to a competitor', () => {
  const by = { ...worked('assigned', a).created_by, company_id: a.companyId };
  const given = { state: 'pending', status: 'proposed', expires_at: null } as const;
  const seen = withViewFor({ ...worked('assigned', a), created_by: by }, b.candidate, given);
  const ticket = assignView(seen, seen.views[2]?._id ?? '', at);
  expect(creatorFor(ticket, clientId, 'client')).toEqual(by);
  expect(creatorFor(ticket, a.companyId, 'contractor')).toEqual(by);
  expect(creatorFor(ticket, b.companyId, 'contractor')).toBeNull();
  expect(creatorFor(worked('assigned', a), a.companyId, 'contractor')).toMatchObject({ company_id: clientId });
});
