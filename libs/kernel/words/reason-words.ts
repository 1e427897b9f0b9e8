import type { Worded } from './worded.ts';

/** Why an invoice waits for review. */
export const reviewReasonWords = {
  duplicate_suspected: { en: 'Possible duplicate', fr: 'Doublon possible' },
  amounts_inconsistent: { en: 'Amounts do not add up', fr: 'Montants incohérents' },
  iban_changed: { en: 'Another IBAN', fr: 'Autre IBAN' },
  provider_status: { en: 'Refused or canceled', fr: 'Refusée ou annulée' },
  changed_after_link: { en: 'Changed', fr: 'Modifiée' },
  document_hash_mismatch: { en: 'Other document', fr: 'Autre document' },
  supplier_is_client: { en: 'Own company', fr: 'Votre entreprise' },
  ticket_gone: { en: 'Ticket canceled', fr: 'Ticket annulé' },
  credits_refused: { en: 'Credits a refused invoice', fr: 'Avoir d’une facture refusée' },
  several_parties: { en: 'Several suppliers', fr: 'Plusieurs fournisseurs' },
} satisfies Record<string, Worded>;

/** Why an invoice is in its state, and those of review. */
export const reasonWords = {
  ...reviewReasonWords,
  no_ticket: { en: 'No ticket matches', fr: 'Aucun ticket ne correspond' },
  tickets_suggested: { en: 'Tickets suggested', fr: 'Tickets proposés' },
  ticket_found: { en: 'Ticket found', fr: 'Ticket trouvé' },
  supplier_unknown: { en: 'Supplier unknown', fr: 'Fournisseur inconnu' },
  several_suppliers: { en: 'Several suppliers', fr: 'Plusieurs fournisseurs' },
  link_undone: { en: 'Link undone', fr: 'Lien annulé' },
  unlinked: { en: 'Unlinked', fr: 'Lien retiré' },
  review_cleared: { en: 'Review cleared', fr: 'Vérification levée' },
  step_failed: { en: 'A step failed', fr: 'Une étape a échoué' },
  unreadable: { en: 'Cannot be read', fr: 'Illisible' },
  content_unreadable: { en: 'Cannot be read any more', fr: 'Devenue illisible' },
  other: { en: 'Another reason', fr: 'Autre motif' },
} satisfies Record<string, Worded>;
