import type { ReferenceKind } from '@app/contracts';

/** The fields of an invoice in either syntax, as text; null: absent. BT numbers are those of EN 16931. */
export type DocumentFields = {
  /** BT-3, UNTDID 1001. */
  typeCode: string | null;
  /** BT-23: of the French reform a letter and a digit, such as `B1`. */
  businessProcess: string | null;
  isCreditNote: boolean;
  number: string | null;
  issueDate: string | null;
  dueDate: string | null;
  currency: string | null;
  supplier: PartyFields;
  buyer: PartyFields | null;
  /** Accounts to pay to; not all are IBANs. */
  accounts: string[];
  /** BT-109, BT-110 and BT-112; a document may give each in several currencies. */
  totals: { ht: Amount[]; tva: Amount[]; ttc: Amount[] };
  vatBreakdown: { percent: string | null; base: Amount[]; amount: Amount[] }[];
  lines: LineFields[];
  references: { kind: ReferenceKind; value: string }[];
  notes: string[];
  /** Delivery addresses, each as its parts. */
  places: (string | null)[][];
};

/** `currency` null: that of the document. */
export type Amount = { text: string; currency: string | null };

/** `identifiers` are sorted most trustworthy first: legal registration (BT-30), identifier (BT-29), electronic address (BT-34). */
export type PartyFields = {
  name: string | null;
  country: string | null;
  identifiers: Identifier[];
  electronicAddress: Identifier | null;
  vatNumbers: string[];
};

export type Identifier = { scheme: string | null; value: string };

export type LineFields = {
  /** BT-X-8 of the extended profiles: `DETAIL`, or a line that only groups or explains others. */
  subtype: string | null;
  label: string | null;
  qty: string | null;
  price: string | null;
  /** BT-149: the number of units that the price is for. */
  priceFor: string | null;
  ht: string | null;
  percent: string | null;
  notes: string[];
};
