import type { Caller } from '@app/contracts';
import type { Route } from '@app/http';
import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { moveRoutes } from '../../moves/move-routes.ts';
import { quoteRoutes } from '../../quotes/quote-routes.ts';
import { addQuote } from '../../quotes/quotes.ts';
import type { Status, Ticket } from '../../tickets/ticket.ts';
import { aContractor, at, clientId, worked } from '../tickets/fixtures.ts';
import { useTicketStores } from '../tickets/stores/ticket-stores.ts';

const stores = useTicketStores(() => at);
let routes: Route[];
beforeAll(() => {
  const presenter = { one: async (ticket: Ticket) => ticket };
  const deps = { tickets: stores.tickets, presenter, now: () => at, proposalLifetimeMs: null } as never;
  routes = [...quoteRoutes(deps), ...moveRoutes(deps)];
});

const contractor = aContractor();
const [client, worker] = [
  aCaller({ companyId: clientId }),
  aCaller({ companyId: contractor.companyId, companyKind: 'contractor' }),
];
const [q1, q2] = ['a'.repeat(24), 'b'.repeat(24)];
const quote = { price: '10', includes_vat: false, file: null, contractor_id: null };

async function aTicketIn(status: Status): Promise<Ticket> {
  const quoted = [q1, q2].reduce(
    (ticket, _id) => addQuote(ticket, contractor.actor, at, { ...quote, _id, reference: _id }).ticket,
    worked('assigned', contractor),
  );
  const views = quoted.views.map((view) => ({ ...view, status }));
  const ticket = { ...quoted, _id: newId(), views };
  await stores.tickets.add(ticket, null);
  return ticket;
}

/** What a request does once it has loaded the ticket: it may have changed since. */
function act(found: Ticket, action: string, caller: Caller = client): Promise<Ticket> {
  const [path = '', quote_id] = action.split(' ');
  const route = routes.find((candidate) => candidate.path.endsWith(`/${path}`)) as Route;
  const res = { setHeader: () => undefined };
  const request = { resource: found, caller, body: {}, params: { quote_id }, precondition: null, res };
  return route.handle(request as never) as Promise<Ticket>;
}

test.each<[string, string, Status, string]>([
  [`validate ${q1}`, `decline ${q1}`, 'validated', 'decline_quote'],
  [`decline ${q1}`, `validate ${q1}`, 'validation', 'validate_quote'],
])(
  'of two people who decide a quote at once, %s and %s, the second gets 409',
  async (first, second, from, operation) => {
    const seen = await aTicketIn('validation');
    const decided = await act(seen, first);
    await expect(act(seen, second)).rejects.toMatchObject({
      code: 'ticket_transition_forbidden',
      message: expect.stringMatching(`${operation}.*${from}`),
      details: { from, operation },
    });
    expect((await stores.tickets.find(seen._id, client))?.quotes).toEqual(decided.quotes);
  },
);

test.each([`validate ${q1}`, `decline ${q1}`])('%s by two people at once is one change', async (action) => {
  const seen = await aTicketIn('validation');
  const { version } = await act(seen, action);
  expect((await act(seen, action)).version).toBe(version);
});

test('two quotes decided at once are both decided', async () => {
  const seen = await aTicketIn('validation');
  await act(seen, `validate ${q1}`);
  const { quotes } = await act(seen, `decline ${q2}`);
  expect(quotes.map(({ status }) => status)).toEqual(['validated', 'declined']);
});

test.each<[string, string, Status, string]>([
  ['ask-to-plan', 'take-charge', 'toplan', 'take_charge'],
  ['unassign', 'ask-to-plan', 'waiting', 'ask_to_plan'],
  ['ask-to-plan', 'close', 'toplan', 'close'],
  ['close', 'open', 'closed', 'reopen'],
])(
  'of two moves at once, %s and %s, the second gets 409 with from and operation',
  async (first, second, from, operation) => {
    const seen = await aTicketIn(second === 'open' ? 'finished' : 'waiting_contractor');
    await act(seen, first);
    const caller = second === 'take-charge' ? worker : client;
    await expect(act(seen, second, caller)).rejects.toMatchObject({
      code: 'ticket_transition_forbidden',
      details: { from, operation },
    });
  },
);

test('a contractor whose ticket is removed meanwhile gets 404', async () => {
  const seen = await aTicketIn('canceled');
  await act(seen, 'remove');
  await expect(act(seen, 'open', worker)).rejects.toMatchObject({ code: 'ticket_not_found' });
});
