import type { Worded } from './worded.ts';

/** How urgent a status is, which decides its colour. */
export type Family = 'neutral' | 'info' | 'progress' | 'warning' | 'success' | 'danger';

export type StatusWord = { family: Family } & Worded;

type Words = Record<string, StatusWord>;

export const ticketStatuses = {
  draft: { family: 'neutral', en: 'Draft', fr: 'Brouillon' },
  opened: { family: 'info', en: 'Open', fr: 'Ouvert' },
  waiting: { family: 'info', en: 'To assign', fr: 'À affecter' },
  proposed: { family: 'info', en: 'Proposed', fr: 'Proposé' },
  waiting_contractor: { family: 'info', en: 'Accepted', fr: 'Accepté' },
  assigned: { family: 'info', en: 'Assigned', fr: 'Affecté' },
  toplan: { family: 'progress', en: 'To plan', fr: 'À planifier' },
  waitingplan: { family: 'progress', en: 'Date asked', fr: 'Date demandée' },
  visit: { family: 'progress', en: 'Visit planned', fr: 'Visite prévue' },
  intervention: { family: 'progress', en: 'Work planned', fr: 'Intervention prévue' },
  toreplan: { family: 'warning', en: 'To replan', fr: 'À replanifier' },
  visit_devis: { family: 'warning', en: 'Visit to confirm', fr: 'Visite à confirmer' },
  validation: { family: 'warning', en: 'Quotes to decide', fr: 'Devis à valider' },
  intervention_finish: { family: 'warning', en: 'Work to confirm', fr: 'Intervention à confirmer' },
  validated: { family: 'success', en: 'Quote validated', fr: 'Devis validé' },
  finished: { family: 'success', en: 'Finished', fr: 'Terminé' },
  closed: { family: 'neutral', en: 'Closed', fr: 'Clôturé' },
  canceled: { family: 'neutral', en: 'Canceled', fr: 'Annulé' },
  removed: { family: 'neutral', en: 'Removed', fr: 'Supprimé' },
  declined: { family: 'danger', en: 'Declined', fr: 'Décliné' },
  dropped: { family: 'danger', en: 'Quotes declined', fr: 'Devis refusés' },
} satisfies Words;

export const ticketPriorities = {
  high: { en: 'High', fr: 'Haute' },
  medium: { en: 'Medium', fr: 'Moyenne' },
  low: { en: 'Low', fr: 'Basse' },
  none: { en: 'None', fr: 'Aucune' },
} satisfies Record<string, Worded>;

export const contractorTypes = {
  external: { en: 'External', fr: 'Externe' },
  internal: { en: 'Internal', fr: 'Interne' },
} satisfies Record<string, Worded>;

export const invoiceKindWords = {
  invoice: { en: 'Invoice', fr: 'Facture' },
  credit_note: { en: 'Credit note', fr: 'Avoir' },
  corrective: { en: 'Corrective invoice', fr: 'Facture rectificative' },
} satisfies Record<string, Worded>;

export const invoiceStates = {
  received: { family: 'neutral', en: 'Received', fr: 'Reçue' },
  normalized: { family: 'neutral', en: 'Read', fr: 'Lue' },
  supplier_matched: { family: 'info', en: 'Supplier found', fr: 'Fournisseur trouvé' },
  supplier_unmatched: { family: 'warning', en: 'Supplier unknown', fr: 'Fournisseur inconnu' },
  ticket_matched: { family: 'progress', en: 'Matched', fr: 'Rapprochée' },
  ticket_unmatched: { family: 'warning', en: 'To match', fr: 'À rapprocher' },
  manual_review: { family: 'warning', en: 'In review', fr: 'À vérifier' },
  linked: { family: 'progress', en: 'Linked', fr: 'Liée' },
  feedback_pending: { family: 'info', en: 'Sending feedback', fr: 'Envoi du retour' },
  feedback_sent: { family: 'info', en: 'Feedback sent', fr: 'Retour envoyé' },
  done: { family: 'success', en: 'Done', fr: 'Traitée' },
  error: { family: 'danger', en: 'Error', fr: 'Erreur' },
} satisfies Words;

export const deliveryStatuses = {
  pending: { family: 'info', en: 'Pending', fr: 'En attente' },
  failed: { family: 'warning', en: 'Retrying', fr: 'Nouvel essai' },
  succeeded: { family: 'success', en: 'Delivered', fr: 'Livrée' },
  exhausted: { family: 'danger', en: 'Exhausted', fr: 'Abandonnée' },
  canceled: { family: 'neutral', en: 'Canceled', fr: 'Annulée' },
} satisfies Words;

export const endpointHealth = {
  ok: { family: 'success', en: 'Healthy', fr: 'Sain' },
  failing: { family: 'warning', en: 'Failing', fr: 'En échec' },
  disabled: { family: 'danger', en: 'Disabled', fr: 'Désactivé' },
} satisfies Words;
