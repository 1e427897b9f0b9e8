import fc from 'fast-check';
import { type Candidate, decide, type MatchDecision } from '../../libs/matching/index.ts';
import { candidate, invoice, known, order, ticket } from '../../libs/matching/test/sample.ts';
import { checkProperty } from './check-property.ts';

type Amounts = { ht: number; ttc: number };

/** Few different amounts, near each other, so that many are equal, close, a part or already invoiced. */
const money = fc.integer({ min: 1, max: 60 }).map((tens) => tens * 10);
const amounts = fc.record({ ht: money, ttc: money });
const ordered = fc.array(money, { minLength: 1, maxLength: 3 });
const invoiced = fc.array(amounts, { maxLength: 2 });
const isNamed = fc.boolean();

type Case = { orders: { amount: number; includes_vat: boolean }[]; linked: Amounts[]; own: Amounts; named: boolean };

function match({ orders, linked, own, named }: Case): MatchDecision {
  const purchases = orders.map(({ amount, includes_vat }, at) => order(`BC-2026-10${at}`, amount, { includes_vat }));
  const on: Candidate = candidate(ticket('1'), { purchases, linked });
  const { ht, ttc } = own;
  const of = invoice(named ? 'BC-2026-100' : null, { amounts: { ht, tva: ttc - ht, ttc } });
  return decide({ invoice: of, supplier: known, candidates: [on] });
}

/** All that a decision says, without the hint that a total would fit. */
function decisive({ suggestions, ...decision }: MatchDecision): object {
  const signals = suggestions.map((one) =>
    one.signals?.map(({ values: { fitsWithVat: _hint, ...values }, ...signal }) => ({ ...signal, values })),
  );
  return { ...decision, signals };
}

const isNet = fc.boolean();

test('where all orders are with VAT, or all without, the other amounts of invoices decide nothing', () => {
  checkProperty(
    fc.property(
      ordered,
      invoiced,
      amounts,
      isNamed,
      isNet,
      fc.infiniteStream(money),
      (all, linked, own, named, net, others) => {
        const orders = all.map((amount) => ({ amount, includes_vat: !net }));
        const other = (one: Amounts) => ({ ...one, [net ? 'ttc' : 'ht']: others.next().value });
        const [one, changed] = [
          match({ orders, linked, own, named }),
          match({ orders, linked: linked.map(other), own: other(own), named }),
        ];
        expect(decisive(changed)).toEqual(decisive(one));
      },
    ),
  );
});

test('an amount is compared with the invoice on its own basis, whatever orders stand beside it', () => {
  const mixed = fc.array(fc.record({ amount: money, includes_vat: fc.boolean() }), { minLength: 1, maxLength: 4 });
  checkProperty(
    fc.property(mixed, amounts, isNamed, (orders, own, named) => {
      const { suggestions } = match({ orders, linked: [], own, named });
      for (const { code, values } of suggestions.flatMap(({ signals = [] }) => signals)) {
        if (code !== 'amount') continue;
        expect(values.invoiced).toBe(values.withVat ? own.ttc : own.ht);
        const compared = orders.filter((_one, at) => values.references?.includes(`BC-2026-10${at}`));
        expect(compared.map(({ includes_vat }) => includes_vat)).toEqual(compared.map(() => values.withVat));
        expect(values.compared).toBe(compared.reduce((sum, { amount }) => sum + amount, 0));
      }
    }),
  );
});
