import type { List } from '@app/kernel';

/** Work that is done, or received, and not invoiced in full; the index is that of all tickets. */
export const accrualList = {
  tenant: 'views.company_id',
  columns: {
    created: { path: '_id', type: 'id' },
    number: { path: 'number', type: 'text', title: { fr: 'Numéro', en: 'Number' } },
    title: { path: 'title', type: 'text', title: { fr: 'Titre', en: 'Title' } },
    contractors: { path: 'contractors', type: 'text', title: { fr: 'Prestataires', en: 'Contractors' } },
    places: { path: 'places', type: 'text', title: { fr: 'Lieux', en: 'Places' } },
    state: {
      path: 'state',
      type: 'enum',
      words: { done: { fr: 'Fait', en: 'Done' }, received: { fr: 'Reçu', en: 'Received' } },
      title: { fr: 'État', en: 'State' },
    },
    day: { path: 'day', type: 'date', title: { fr: 'Date', en: 'Date' } },
    amount: { path: 'amount', type: 'money', title: { fr: 'Reste HT (EUR)', en: 'Left without VAT (EUR)' } },
    withVat: { path: 'amount_with_vat', type: 'money', title: { fr: 'Reste TTC (EUR)', en: 'Left with VAT (EUR)' } },
  },
  indexes: [{ name: 'view', order: 'created' }],
} as const satisfies List;
