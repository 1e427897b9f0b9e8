import { reasonWords, type Worded } from '@app/kernel/words';

/** What tickets count in, by the names that statistics have for it. */
export const ticketFigures: Readonly<Record<string, Worded>> = {
  open: { en: 'Open', fr: 'Ouverts' },
  planned: { en: 'Planned dates', fr: 'Dates prévues' },
  'planned.visit': { en: 'Planned visits', fr: 'Visites prévues' },
  'planned.intervention': { en: 'Planned work', fr: 'Interventions prévues' },
  ordered: { en: 'Orders', fr: 'Commandes' },
  agreed: { en: 'Validated quotes without an order', fr: 'Devis validés sans commande' },
  invoiced: { en: 'Invoices', fr: 'Factures' },
  'uninvoiced.done': { en: 'Done and not invoiced', fr: 'Fait et non facturé' },
  'uninvoiced.received': { en: 'Received and not invoiced', fr: 'Reçu et non facturé' },
  'quotes.pending': { en: 'Pending quotes', fr: 'Devis en attente' },
  'quotes.validated': { en: 'Accepted quotes', fr: 'Devis acceptés' },
  'quotes.declined': { en: 'Declined quotes', fr: 'Devis refusés' },
  'work.accepted': { en: 'Accepted proposals', fr: 'Propositions acceptées' },
  'work.kept': { en: 'Dates kept', fr: 'Dates tenues' },
  'work.missed': { en: 'Dates missed', fr: 'Dates manquées' },
  'work.without_report': { en: 'Reports missing', fr: 'Rapports manquants' },
  'billed.received': { en: 'Invoices without an answer', fr: 'Factures sans réponse' },
  'billed.approved': { en: 'Invoices approved', fr: 'Factures approuvées' },
  'billed.partly_approved': { en: 'Invoices approved in part', fr: 'Factures approuvées en partie' },
  'billed.disputed': { en: 'Invoices disputed', fr: 'Factures en litige' },
  'billed.suspended': { en: 'Invoices suspended', fr: 'Factures suspendues' },
  'billed.refused': { en: 'Invoices refused', fr: 'Factures refusées' },
  'billed.payment_sent': { en: 'Invoices paid', fr: 'Factures payées' },
};

const toTreat = ([code, { en, fr }]: [string, Worded]) => [
  `to_treat.${code}`,
  { en: `To process: ${en}`, fr: `À traiter\u00a0: ${fr}` },
];

/** What invoices count in. */
export const invoiceFigures: Readonly<Record<string, Worded>> = {
  payable: { en: 'Owed', fr: 'Dues' },
  'checks.above_order': { en: 'Above order', fr: 'Au-dessus de la commande' },
  'checks.duplicate': { en: 'Duplicates held', fr: 'Doublons retenus' },
  'checks.account': { en: 'Accounts to check', fr: 'Comptes à vérifier' },
  matched: { en: 'Put on a ticket', fr: 'Rapprochées' },
  'matched.machine.kept': { en: 'Matched automatically', fr: 'Rapprochées automatiquement' },
  'matched.person': { en: 'Matched by hand', fr: 'Rapprochées à la main' },
  'matched.machine.corrected': { en: 'Corrected by hand', fr: 'Corrigées à la main' },
  ...Object.fromEntries(Object.entries(reasonWords).map(toTreat)),
};

/** The options of a choice of these. */
export function inWords(words: Readonly<Record<string, Worded>>, language: 'en' | 'fr') {
  return Object.entries(words).map(([id, of]) => ({ id, text: of[language] }));
}
