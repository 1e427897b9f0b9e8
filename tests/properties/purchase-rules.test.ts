import type { Caller } from '@app/contracts';
import { newId } from '@app/kernel';
import fc from 'fast-check';
import type { Purchase } from '../../services/purchase/purchases/purchase.ts';
import { isVisibleTo } from '../../services/purchase/purchases/purchase.ts';
import {
  amend,
  assignSupplier,
  attach,
  type Decision,
  newPurchase,
  remove,
} from '../../services/purchase/purchases/purchase-rules.ts';
import { checkProperty } from './check-property.ts';

const [buyer, ticket] = [newId(), newId()];
const companies = [newId(), newId(), null];
const start = new Date('2026-11-22T10:00:00.000Z').getTime();

const kind = fc.constantFrom('purchase_request' as const, 'purchase_order' as const, 'goods_receipt' as const);

function aDocument(of: 'purchase_request' | 'purchase_order' | 'goods_receipt'): Purchase {
  const caller = { companyId: buyer, userId: newId(), via: 'token' } as Caller;
  const context = {
    ticket: { id: ticket, number: 'T-1', title: 'Leak' },
    version: 1,
    client_id: buyer,
    own: { view_id: newId(), role: 'client' as const, state: 'client', status: 'opened' },
    contractor: null,
    quote_ids: [],
  };
  const input = { source_system: null, quote_id: null, purchase_order_id: null, amount: 1 };
  const key = { ticket_id: ticket, buyer_company_id: buyer, kind: of, reference: 'A' };
  const supplier = { version: 1, contractor_id: null, company_id: null };
  return newPurchase({ id: newId(), slot: 0, key, input, context, supplier, caller }, new Date(start)).purchase;
}

type Step = (purchase: Purchase, at: Date) => Decision;
const by = newId();

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ amount: fc.constantFrom(1, 2, null), reference: fc.constantFrom('A', 'B') }, { requiredKeys: [] }).map(
    (input): Step =>
      (purchase, at) =>
        amend(purchase, input, { by, at }),
  ),
  fc.constant<Step>((purchase, at) => {
    const file = { key: 'k', name: 'a.pdf', type: 'application/pdf', size: 1, hash: 'h' };
    return attach(purchase, { id: newId(), file }, { by, at });
  }),
  fc.tuple(fc.integer({ min: 2, max: 9 }), fc.constantFrom(...companies)).map(
    ([version, company_id]): Step =>
      (purchase, at) =>
        assignSupplier(
          purchase,
          { assignments: [{ version, contractor_id: newId(), company_id }], accounts: new Map() },
          at,
        ),
  ),
  { weight: 1, arbitrary: fc.constant<Step>((purchase, at) => remove(purchase, { by, at })) },
);

/** Each step on what the one before left, as the store does; nothing is done to a deleted document. */
function walk(of: Purchase['kind'], steps: Step[], check: (before: Purchase, decision: Decision) => void): void {
  let purchase = aDocument(of);
  for (const [index, apply] of steps.entries()) {
    if (purchase.deleted) return;
    const before = structuredClone(purchase);
    const decision = apply(purchase, new Date(start + (index + 1) * 1_000));
    expect(purchase).toEqual(before);
    check(purchase, decision);
    purchase = decision.purchase;
  }
}

const steps = fc.array(step, { maxLength: 30 });

test('a change is one more version, and no change is the same document without events', () => {
  checkProperty(
    fc.property(kind, steps, (of, all) =>
      walk(of, all, (before, { purchase, events }) => {
        if (purchase === before) expect(events).toEqual([]);
        else expect(purchase.version).toBe(before.version + 1);
      }),
    ),
  );
});

test('once a document has a contractor or a supplier, it keeps them', () => {
  checkProperty(
    fc.property(kind, steps, (of, all) =>
      walk(of, all, (before, { purchase }) => {
        if (before.contractor_id !== null) expect(purchase.contractor_id).toBe(before.contractor_id);
        if (before.supplier_company_id !== null) expect(purchase.supplier_company_id).toBe(before.supplier_company_id);
      }),
    ),
  );
});

test('a company gets an event of a document only if it may see it', () => {
  checkProperty(
    fc.property(kind, steps, (of, all) =>
      walk(of, all, (_before, { purchase, events }) => {
        const audience = events.flatMap(({ data }) => (data as { audience?: string[] }).audience ?? []);
        expect(audience.filter((company) => !isVisibleTo(purchase, company))).toEqual([]);
      }),
    ),
  );
});
