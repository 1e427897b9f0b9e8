import type { ReferenceKind } from '@app/contracts';

/** What either syntax says, as the texts that stand in the document; BT numbers are those of EN 16931. Null: not said. */
export type Facts = {
  /** BT-3, UNTDID 1001. */
  typeCode: string | null;
  isCreditNote: boolean;
  number: string | null;
  issueDate: string | null;
  dueDate: string | null;
  currency: string | null;
  supplier: PartyFacts;
  buyer: PartyFacts | null;
  /** Accounts to pay to, IBAN or not. */
  accounts: string[];
  /** BT-109, BT-110 and BT-112, each as often as the document has it. */
  totals: { ht: Amount[]; tva: Amount[]; ttc: Amount[] };
  vatBreakdown: { percent: string | null; base: Amount[]; amount: Amount[] }[];
  lines: LineFacts[];
  references: { kind: ReferenceKind; value: string }[];
  notes: string[];
  /** Each place in its parts. */
  places: (string | null)[][];
};

/** `currency` null: not said, so the document's. */
export type Amount = { text: string; currency: string | null };

/** `identifiers` with the most trustworthy first: legal registration (BT-30), identifier (BT-29), electronic address (BT-34). */
export type PartyFacts = {
  name: string | null;
  country: string | null;
  identifiers: Identifier[];
  electronicAddress: Identifier | null;
  vatNumbers: string[];
};

export type Identifier = { scheme: string | null; value: string };

export type LineFacts = {
  /** BT-X-8 of the extended profiles: `DETAIL`, or a line that only groups or explains others. */
  subtype: string | null;
  label: string | null;
  qty: string | null;
  price: string | null;
  /** BT-149: how many units the price is for. */
  priceFor: string | null;
  ht: string | null;
  percent: string | null;
  notes: string[];
};
