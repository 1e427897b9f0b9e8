import { euros, type Invoice, type Seller } from '../../invoices/invoice.ts';
import { type Contractor, digits } from './people.ts';

export type Site = Invoice['site'];

export function sellerOf({ company: { name, siret }, vatNumber, iban, address }: Contractor): Seller {
  return { name, siren: digits(siret).slice(0, 9), siret: digits(siret), vatNumber, iban, address };
}

/** The invoice with another net amount: the same lines with new amounts, and VAT and total to match. */
export function withNet(invoice: Invoice, net: number): Invoice {
  const parts = Math.round(net * 0.45);
  const [first, second] = invoice.lines;
  const lines = second
    ? [
        { label: first?.label ?? '', cents: parts },
        { label: second.label, cents: net - parts },
      ]
    : [{ label: first?.label ?? '', cents: net }];
  const vat = Math.round(net * 0.2);
  return { ...invoice, lines, net, vat, total: net + vat };
}

/** As the sandbox provider holds it (`tools/demo/sandbox-provider/README.md`). */
export function toSandbox(invoice: Invoice): Record<string, unknown> {
  const { id, kind, number, seller, currency, net, vat, total, note, site, status } = invoice;
  const { name, siren, siret, vatNumber: vat_number, iban } = seller;
  return {
    id,
    kind,
    number,
    currency,
    status,
    issue_date: invoice.issueDate,
    due_date: invoice.dueDate,
    supplier: { id: `sup-${siren ?? 'x'}`, name, siren, siret, vat_number, iban },
    buyer: { name: 'Grand Bazar Demo' },
    amounts: { ht: euros(net), tva: euros(vat), ttc: euros(total) },
    vat_breakdown: [{ rate: '0.20', base: euros(net), amount: euros(vat) }],
    lines: invoice.lines.map(({ label, cents }) => {
      return { label, quantity: '1', unit_price: euros(cents), ht: euros(cents), vat_rate: '0.20' };
    }),
    references: {
      purchase_order: invoice.order,
      sales_order: invoice.salesOrder,
      preceding_invoice: invoice.preceding,
    },
    notes: note === null ? [] : [note],
    delivery_address: `${site.name}, ${site.street}, ${site.postcode} ${site.city}`,
    // The day of the invoice: the provider lists it as changed then, however often it is put there
    // again.
    updated_at: `${invoice.issueDate ?? '2026-01-05'}T00:00:00.000Z`,
  };
}
