import type { Caller } from '@app/contracts';
import { newId } from '@app/kernel';
import { type Act, address, amend, attach, drawUp, remove } from '../changes.ts';
import { isOnItsWay, supplierOf, unheard } from '../dossier.ts';
import { isVisibleTo, type Purchase } from '../purchase.ts';
import { type TicketContext, takesWrites } from '../ticket-context.ts';

const [client, contractor, other] = [newId(), newId(), newId()] as const;
const made = new Date('2026-11-20T10:00:00.000Z');
const act: Act = { by: newId(), at: new Date('2026-11-21T10:00:00.000Z') };

const context: TicketContext = {
  ticket: { id: newId(), number: 'T-1', title: 'Leak' },
  version: 4,
  client_id: client,
  own: { view_id: newId(), role: 'client', state: 'client', status: 'opened' },
  contractor: { contractor_id: newId(), company_id: contractor },
  quote_ids: [],
};

function document(given: Partial<Purchase> = {}): Purchase {
  const name = {
    ticket_id: context.ticket.id,
    buyer_company_id: client,
    kind: 'purchase_order',
    reference: 'A',
  } as const;
  const input = { source_system: null, quote_id: null, purchase_order_id: null, amount: 1 };
  const caller = { companyId: client, userId: newId(), via: 'token' } as Caller;
  const supplier = { version: 4, company_id: null };
  return { ...drawUp({ id: newId(), name, input, context, supplier, caller }, made).purchase, ...given };
}

test.each([
  ['what was asked, where nothing was heard', client, unheard, contractor],
  ['what was asked, where it is as new', client, { version: 4, company_id: other }, contractor],
  ['what was heard, where it is newer', client, { version: 5, company_id: other }, other],
  ['nobody, where the contractor went meanwhile', client, { version: 5, company_id: null }, null],
  ['nobody for the contractor itself', contractor, unheard, null],
  ["nobody for a contractor, whatever the client's choice", other, { version: 5, company_id: contractor }, null],
])('the supplier is %s', (_which, buyer, heard, expected) => {
  expect(supplierOf(context, buyer, heard)).toEqual({ version: Math.max(4, heard.version), company_id: expected });
});

test.each([
  ['one that has a supplier', { supplier_company_id: other }, 5, contractor],
  ['one made after that assignment', { assignment_version: 5 }, 5, contractor],
  ['one that was deleted', { deleted: true }, 5, contractor],
  ['one of the contractor itself', { buyer_company_id: contractor }, 5, contractor],
  ['any, where the ticket has no contractor any more', {}, 5, null],
])('an assignment does not touch %s', (_which, given, version, company_id) => {
  const before = document(given);
  expect(address(before, { version, company_id }, act.at)).toEqual({ purchase: before, events: [] });
});

test('every change is a version of its own, by whoever made it', () => {
  const file = { key: 'k', name: 'a.pdf', type: 'application/pdf', size: 1, hash: 'aa' };
  const before = document();
  const after = [
    amend(before, { amount: 2 }, act),
    remove(before, act),
    attach(before, { id: newId(), file }, act),
    address(before, { version: 9, company_id: contractor }, act.at),
  ];
  expect(after.map(({ purchase }) => [purchase.version, purchase.updated_at])).toEqual(after.map(() => [2, act.at]));
  const [amended, removed, attached, addressed] = after.map(({ purchase }) => purchase.updated_by);
  expect([amended, removed, attached, addressed]).toEqual([act.by, act.by, act.by, before.updated_by]);
});

test.each([{}, { amount: 1 }, { reference: 'A', date: new Date(made), source_system: null }])(
  'a change of nothing, %p, changes nothing',
  (input) => {
    const before = document();
    expect(amend(before, input, act)).toEqual({ purchase: before, events: [] });
  },
);

test.each([
  ['purchase_order', contractor, true],
  ['purchase_order', other, false],
  ['purchase_request', contractor, false],
  ['goods_receipt', contractor, false],
  ['purchase_request', client, true],
] as const)('%s: who sees it', (kind, companyId, expected) => {
  expect(isVisibleTo(document({ kind, supplier_company_id: contractor }), companyId)).toBe(expected);
});

test.each([
  ['client', 'opened', true],
  ['client', 'finished', true],
  ['client', 'closed', true],
  ['client', 'draft', false],
  ['client', 'canceled', false],
  ['client', 'declined', false],
  ['active', 'assigned', true],
  ['pending', 'proposed', true],
  ['declined', 'declined', false],
  ['canceled', 'canceled', false],
])('a view that is %s with the status %s takes writes: %s', (state, status, expected) => {
  expect(takesWrites({ ...context, own: { ...context.own, state, status } })).toBe(expected);
});

test('an id is on its way for a minute from its making', () => {
  const id = newId(made);
  const after = (seconds: number) => new Date(made.getTime() + seconds * 1000);
  expect([0, 59, 60, 3600].map((seconds) => isOnItsWay(id, after(seconds)))).toEqual([true, true, false, false]);
});
