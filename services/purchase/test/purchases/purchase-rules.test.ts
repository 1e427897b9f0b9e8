import type { Caller } from '@app/contracts';
import { newId } from '@app/kernel';
import { type Accounts, type Assignment, noHistory, supplierOf } from '../../assignments/assignment.ts';
import { isVisibleTo, type Purchase, purchaseSnapshot } from '../../purchases/purchase.ts';
import { type Act, amend, assignSupplier, attach, newPurchase, remove } from '../../purchases/purchase-rules.ts';
import { type TicketContext, takesWrites } from '../../tickets/ticket-context.ts';

const [client, contractor, other] = [newId(), newId(), newId()] as const;
/** Contractors of the client's directory. */
const [inDirectory, another] = [newId(), newId()] as const;
/** A contractor of the client's own was given the client's own account. */
const accounts = new Map([[inDirectory, client]]);
const made = new Date('2026-11-20T10:00:00.000Z');
const act: Act = { by: newId(), at: new Date('2026-11-21T10:00:00.000Z') };

const context: TicketContext = {
  ticket: { id: newId(), number: 'T-1', title: 'Leak' },
  version: 4,
  updated_at: made.toISOString(),
  client_id: client,
  own: { view_id: newId(), role: 'client', state: 'client', status: 'opened' },
  contractor: { contractor_id: inDirectory, company_id: contractor },
  quote_ids: [],
};

function document(given: Partial<Purchase> = {}): Purchase {
  const key = {
    ticket_id: context.ticket.id,
    buyer_company_id: client,
    kind: 'purchase_order',
    reference: 'A',
  } as const;
  const input = { source_system: null, quote_id: null, purchase_order_id: null, amount: 1, includes_vat: false };
  const caller = { companyId: client, userId: newId(), via: 'token' } as Caller;
  const supplier = { version: 4, contractor_id: null, company_id: null };
  return { ...newPurchase({ id: newId(), slot: 0, key, input, context, supplier, caller }, made).purchase, ...given };
}

const assigned = (version: number, contractor_id: string | null, company_id: string | null = null): Assignment => ({
  version,
  contractor_id,
  company_id,
});
/** The first assignment after the document was made; the same, while its contractor has no account; and one after it. */
const first = assigned(5, inDirectory, contractor);
const unknown = assigned(5, inDirectory);
const second = assigned(6, another, other);
/** Another contractor first. */
const replaced = assigned(5, another, other);

test.each([
  [
    'the contractor read from the ticket, without an assignment event',
    client,
    noHistory.newest,
    [4, inDirectory, contractor],
  ],
  ['who was asked for, where it is as new', client, assigned(4, another, other), [4, inDirectory, contractor]],
  ['the contractor of the assignment event, if it is newer', client, replaced, [5, another, other]],
  ['one without account', client, assigned(5, another), [5, another, null]],
  ['nobody, where the contractor went meanwhile', client, assigned(5, null), [5, null, null]],
  ['one of its own, who is no company', client, assigned(5, another, client), [5, another, null]],
  ['nobody for the contractor itself', contractor, noHistory.newest, [4, null, null]],
  ["nobody for a contractor, whatever the client's choice", other, first, [5, null, null]],
] as const)('the supplier is %s', (_which, buyer, newest, [version, contractor_id, company_id]) => {
  expect(supplierOf(context, buyer, { newest, assignments: [] })).toEqual({ version, contractor_id, company_id });
});

test.each<[string, Partial<Purchase>, Assignment[]]>([
  ['one that has a supplier', { supplier_company_id: other, contractor_id: another }, [first]],
  [
    'one that has a supplier, though its contractor has another account by now',
    { supplier_company_id: other, contractor_id: another },
    [assigned(5, another, contractor)],
  ],
  ['one made after that assignment', { assignment_version: 5 }, [first]],
  ['one that was deleted', { deleted: true }, [first]],
  ['one of a contractor without account', { contractor_id: another }, [first]],
  ["one of the client's own contractor", { contractor_id: another }, [assigned(5, another, client)]],
  [
    'one that has a supplier, by a late one before it',
    { supplier_company_id: other, contractor_id: another, assignment_version: 9 },
    [first],
  ],
  ['any, where the ticket has no contractor any more', {}, []],
  ['one of a contractor whose account is the buyer itself', { contractor_id: inDirectory }, []],
])('an assignment does not touch %s', (_which, given, assignments) => {
  const before = document(given);
  expect(assignSupplier(before, { assignments, accounts }, act.at)).toEqual({ purchase: before, events: [] });
});

test.each<[string, Partial<Purchase>, Assignment[], [number, string, string | null, Accounts?]]>([
  ['the contractor assigned after it was made', {}, [first], [5, inDirectory, contractor]],
  ['the first of two', {}, [first, second], [5, inDirectory, contractor]],
  ['the first of two, though it has no account', {}, [unknown, second], [5, inDirectory, null]],
  [
    'the first of two, whose account was known after the second',
    {},
    [unknown, second, assigned(7, inDirectory, contractor)],
    [5, inDirectory, contractor],
  ],
  [
    'the company of its contractor, known by now',
    { contractor_id: inDirectory },
    [first],
    [4, inDirectory, contractor],
  ],
  ['none before it was made', {}, [assigned(3, another, other), first], [5, inDirectory, contractor]],
  [
    'the account that its contractor was given since',
    { contractor_id: inDirectory },
    [replaced],
    [4, inDirectory, contractor, new Map([[inDirectory, contractor]])],
  ],
  [
    'the first of two, with the account that it was given since',
    {},
    [unknown, second],
    [5, inDirectory, contractor, new Map([[inDirectory, contractor]])],
  ],
])('a document without supplier takes %s', (_which, given, assignments, expected) => {
  const [version, contractor_id, company, known = new Map()] = expected;
  const before = document(given);
  const { purchase, events } = assignSupplier(before, { assignments, accounts: known }, act.at);
  expect(purchase).toEqual({
    ...before,
    contractor_id,
    supplier_company_id: company,
    assignment_version: version,
    version: 2,
    updated_at: act.at,
  });
  // Until the contractor has an account, only the buyer reads anything new.
  expect(events.map(({ type }) => type)).toEqual([
    ...(company === null ? [] : ['ticket.purchase_added.v1']),
    'purchase.changed.v1',
  ]);
  const { supplier_company_id, supplier_contractor_id } = purchaseSnapshot(purchase);
  expect([supplier_contractor_id, supplier_company_id]).toEqual([contractor_id, company]);
  const audience = events.flatMap(({ data }) => (data as { audience?: string[] }).audience ?? []);
  expect(audience).toEqual(company === null ? [] : [company]);
});

test('every change makes a new version, with the user who made it', () => {
  const file = { key: 'k', name: 'a.pdf', type: 'application/pdf', size: 1, hash: 'aa' };
  const before = document();
  const after = [
    amend(before, { amount: 2 }, act),
    remove(before, act),
    attach(before, { id: newId(), file }, act),
    assignSupplier(before, { assignments: [assigned(9, inDirectory, contractor)], accounts }, act.at),
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
