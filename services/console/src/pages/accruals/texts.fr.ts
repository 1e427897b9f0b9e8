import type { en } from './texts.en.ts';

export const fr: typeof en = {
  title: 'Fait et non facturé',
  intro:
    'Travaux faits ou livraisons reçues, avec ce qui reste de leurs commandes et devis validés une fois les factures déduites.',
  none: 'Tout ce qui a été fait est facturé',
  noneFound: 'Rien de ce type, ou à ces dates',
  fileName: 'non-facture',
  places: 'Lieux',
  contractors: 'Prestataires',
  state: 'État',
  states: { done: 'Fait', received: 'Reçu' },
  day: 'Date',
  to: 'Au',
  left: 'Reste HT',
  leftWithVat: 'Reste TTC',
};
