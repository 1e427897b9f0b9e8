export type Party = {
  name: string;
  siren: string | null;
  siret: string | null;
  vatNumber: string | null;
  address: { street: string; postcode: string; city: string };
};

export type Seller = Party & { iban: string | null };

/** An invoice before it takes a form. Amounts are in cents; a credit note's are negative. */
export type Invoice = {
  id: string;
  kind: 'invoice' | 'credit_note';
  number: string;
  /** Null if the provider could not read it. */
  issueDate: string | null;
  dueDate: string | null;
  currency: string;
  seller: Seller;
  buyer: Party;
  lines: { label: string; cents: number }[];
  net: number;
  vat: number;
  total: number;
  order: string | null;
  salesOrder: string | null;
  preceding: string | null;
  site: { name: string; street: string; postcode: string; city: string };
  note: string | null;
  /** What the provider says of it. */
  status: string;
};

/** As its document has it: of a credit note the amounts are above zero, the kind says which way they go. */
export function asDocument(invoice: Invoice): Invoice {
  const sign = invoice.kind === 'invoice' ? 1 : -1;
  const { net, vat, total } = invoice;
  const lines = invoice.lines.map(({ label, cents }) => ({ label, cents: sign * cents }));
  return { ...invoice, lines, net: sign * net, vat: sign * vat, total: sign * total };
}

export function euros(cents: number): string {
  return `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}
