import { cardsOf } from '../../src/pages/home/figures/cards.ts';
import type { Permission } from '../../src/session/permissions.ts';

const ofTickets = [
  ...['quotesToDecide', 'open', 'planned', 'spendByMonth', 'spendByPlace', 'commitments', 'contractors'],
  ...['deadlinesByContractor', 'deadlinesByPlace'],
];
const ofInvoices = ['toTreat', 'due', 'checks', 'suppliers', 'uninvoiced', 'matched'];
const ofContractors = ['agenda', 'proposals', 'quotes', 'uninvoiced', 'invoices', 'work', 'deadlines'];

test.each<['client' | 'contractor', Permission[], string[]]>([
  ['client', ['tickets'], ofTickets],
  ['client', ['accounting'], ofInvoices],
  ['client', ['tickets', 'accounting'], [...ofTickets, ...ofInvoices]],
  ['client', ['admin'], [...ofTickets, ...ofInvoices]],
  ['client', ['api_webhooks'], []],
  ['contractor', ['tickets'], ofContractors],
  // A contractor has no invoices.
  ['contractor', ['accounting'], []],
])('a user of a %s with %j has the cards of what they may do', (kind, permissions, cards) => {
  expect(cardsOf({ permissions, company: { kind } }).sort()).toEqual(cards.sort());
});
