import type { Worded } from '@app/kernel/words';

/** What there is to know of an invoice, by its flags. */
export const flagWords: Readonly<Record<string, Worded>> = {
  supplier_is_client: { en: 'Your own company as supplier', fr: 'Votre entreprise comme fournisseur' },
  currency_differs: { en: 'Not in euros', fr: 'Pas en euros' },
  already_invoiced: { en: 'Already invoiced', fr: 'Déjà facturé' },
  over_tolerance: { en: 'Amount above tolerance', fr: 'Montant hors tolérance' },
  mixed_vat: { en: 'Orders with VAT and without', fr: 'Commandes HT et TTC' },
  other_place: { en: 'Names another place', fr: 'Cite un autre lieu' },
  several_tickets: { en: 'Names several tickets', fr: 'Cite plusieurs tickets' },
  other_reference: { en: 'Names another reference', fr: 'Cite une autre référence' },
  supplier_ambiguous: { en: 'Several suppliers fit', fr: 'Plusieurs fournisseurs possibles' },
  credit_note: { en: 'Credit note', fr: 'Avoir' },
  replaced: { en: 'Replaced by another invoice', fr: 'Remplacée par une autre' },
  refusal_failed: { en: 'Refusal not taken', fr: 'Refus non pris' },
  status_failed: { en: 'Supplier not told', fr: 'Fournisseur non informé' },
  iban_invalid: { en: 'Account that is no IBAN', fr: 'Compte qui n’est pas un IBAN' },
  siren_checksum: { en: 'The SIREN has a wrong check digit', fr: 'La clé du SIREN est fausse' },
  corrective: { en: 'Corrects another invoice', fr: 'Corrige une autre facture' },
  no_goods_receipt: { en: 'No goods receipt', fr: 'Sans bon de réception' },
  ticket_not_finished: { en: 'Ticket not finished', fr: 'Ticket non terminé' },
};

/** The fields of invoices that are compared. */
export const fieldWords: Readonly<Record<string, Worded>> = {
  'amounts.ht': { en: 'Net (HT)', fr: 'Montant HT' },
  'amounts.tva': { en: 'VAT (TVA)', fr: 'TVA' },
  'amounts.ttc': { en: 'Total (TTC)', fr: 'Total TTC' },
  'supplier.accounts': { en: 'Bank accounts', fr: 'Comptes bancaires' },
  'supplier.siren': { en: 'SIREN', fr: 'SIREN' },
  'supplier.siret': { en: 'SIRET', fr: 'SIRET' },
  'supplier.name': { en: 'Supplier', fr: 'Fournisseur' },
};
