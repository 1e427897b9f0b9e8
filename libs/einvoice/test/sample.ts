/** A sample invoice, which `write-ubl.ts` and `write-cii.ts` write in either syntax. Texts are written as they are. */
export type Sample = {
  typeCode: string;
  process?: string;
  number: string;
  issueDate: string;
  dueDate?: string;
  currency: string;
  seller: SampleParty;
  buyer: SampleParty;
  representative?: SampleParty;
  payee?: SampleParty;
  accounts?: string[];
  order?: string;
  salesOrder?: string;
  buyerReference?: string;
  project?: string;
  contract?: string;
  receipt?: string;
  despatch?: string;
  preceding?: string[];
  tender?: string;
  support?: { id: string; name: string }[];
  notes?: { code?: string; text: string }[];
  accountingReference?: string;
  terms?: string;
  delivery?: SamplePlace;
  /** With the currency of each VAT total; the first is the document's. */
  totals: { ht: string; tva?: { currency: string; amount: string }[]; ttc: string; prepaid?: string; due: string };
  vat: { percent?: string; category: string; base: string; amount: string }[];
  lines: SampleLine[];
};

export type SamplePlace = {
  name?: string;
  id?: string;
  street?: string;
  more?: string;
  postcode?: string;
  city?: string;
};

export type SampleParty = {
  name: string;
  tradingName?: string;
  legalId?: { scheme?: string; value: string };
  ids?: { scheme?: string; value: string }[];
  address?: { scheme: string; value: string };
  vat?: string;
  /** BT-32. */
  taxNumber?: string;
  country?: string;
};

export type SampleLine = {
  name: string;
  description?: string;
  note?: string;
  qty?: string;
  price?: string;
  priceFor?: string;
  ht?: string;
  percent?: string;
  properties?: { name: string; value: string }[];
  object?: string;
  /** BT-X-8, of the extended profiles. */
  subtype?: string;
  /** With a subtype: the number of the line that it is part of. */
  parent?: string;
  /** These too are of the extended profiles. */
  delivery?: SamplePlace;
  despatch?: string;
  preceding?: string;
};

/** A sample with every field of the canonical invoice. */
export const full: Sample = {
  typeCode: '380',
  number: 'F-2026-0118',
  issueDate: '2026-10-05',
  dueDate: '2026-11-04',
  currency: 'EUR',
  seller: {
    name: 'Plomberie Durand &amp; Fils',
    tradingName: 'Durand',
    legalId: { scheme: '0002', value: '732829320' },
    ids: [{ scheme: '0009', value: '73282932000074' }],
    address: { scheme: '0225', value: '732829320_73282932000074' },
    vat: 'FR44732829320',
    country: 'FR',
  },
  buyer: {
    name: 'Foncière du Lac',
    legalId: { scheme: '0002', value: '356000000' },
    ids: [{ scheme: '0009', value: '35600000000048' }],
    vat: 'FR39356000000',
    country: 'FR',
  },
  accounts: ['FR14 2004 1010 0505 0001 3M02 606'],
  order: 'BC-2026-4411',
  salesOrder: 'DEV-877',
  buyerReference: 'Agence Ouest',
  project: 'PRJ-9',
  contract: 'CT-55',
  receipt: 'BR-12',
  despatch: 'BL-31',
  preceding: ['F-2026-0100'],
  tender: 'LOT-2',
  support: [{ id: 'BI-118', name: 'Bon d’intervention' }],
  notes: [{ code: 'AAI', text: 'Intervention du 2 octobre, ticket n° 2026-1187' }, { text: 'Merci' }],
  accountingReference: 'ANALYTIQUE-7',
  terms: '30 jours',
  delivery: {
    name: 'Résidence Bellevue',
    id: 'SITE-42',
    street: '4 rue des Lilas',
    more: 'Bât. B',
    postcode: '69003',
    city: 'Lyon',
  },
  totals: {
    ht: '1250.50',
    tva: [{ currency: 'EUR', amount: '231.33' }],
    ttc: '1481.83',
    prepaid: '481.83',
    due: '1000.00',
  },
  vat: [
    { category: 'S', percent: '20', base: '1110.50', amount: '222.10' },
    { category: 'S', percent: '5.5', base: '40.00', amount: '2.20' },
    { category: 'S', percent: '7.03', base: '100.00', amount: '7.03' },
  ],
  lines: [
    {
      name: 'Main d’œuvre',
      description: 'Recherche de fuite, OT 5512',
      note: 'deux techniciens',
      qty: '3.5',
      price: '317.285714',
      ht: '1110.50',
      percent: '20.00',
      properties: [{ name: 'Bon de travail', value: 'BT-77' }],
      object: 'COMPTEUR-3',
    },
    { name: 'Joints', qty: '200', price: '20.00', priceFor: '100', ht: '40.00', percent: '5.5' },
    { name: 'Forfait', qty: '1', price: '100', priceFor: '1', ht: '100.00', percent: '7.03' },
  ],
};

/** Only the mandatory fields: profile BASIC, one line. */
export const basic: Sample = {
  typeCode: '380',
  number: '17',
  issueDate: '2026-01-31',
  currency: 'EUR',
  seller: {
    name: 'Élec Express',
    legalId: { scheme: '0002', value: '123456782' },
    vat: 'FR11123456782',
    country: 'FR',
  },
  buyer: { name: 'Foncière du Lac' },
  totals: { ht: '0.10', tva: [{ currency: 'EUR', amount: '0.02' }], ttc: '0.12', due: '0.12' },
  vat: [{ category: 'S', percent: '20.00', base: '0.10', amount: '0.02' }],
  lines: [{ name: 'Fusible', qty: '1', price: '0.10', ht: '0.10', percent: '20' }],
};

/** Profile MINIMUM: no lines, no breakdown. */
export const minimum: Sample = { ...basic, number: 'MIN-1', vat: [], lines: [] };
