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
  'work.declined': { en: 'Work declined', fr: 'Interventions déclinées' },
  'work.visited': { en: 'First visits', fr: 'Premières visites' },
  'work.finished': { en: 'Work finished', fr: 'Interventions terminées' },
  'work.kept': { en: 'Dates kept', fr: 'Dates tenues' },
  'work.missed': { en: 'Dates missed', fr: 'Dates manquées' },
  'work.without_report': { en: 'Reports missing', fr: 'Rapports manquants' },
  deadlines: { en: 'Deadlines', fr: 'Échéances' },
  'deadlines.in_time': { en: 'Deadlines kept', fr: 'Échéances tenues' },
  'deadlines.late': { en: 'Deadlines missed', fr: 'Échéances dépassées' },
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
  to_treat: { en: 'To process', fr: 'À traiter' },
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

/** Whether a text of the address is groups of a figure: `place:<id>,currency:EUR`. */
export const areGroups = (text: string) => /^[a-z]+:\w*(,[a-z]+:\w*)*$/.test(text);

type Option = { id: string; text: string };

/** The choice of the groups that a figure's list was opened with, which nothing else sets: ids by their names among the options. */
export function groupsInWords(groups: string | undefined, none: string, ...named: (readonly Option[] | undefined)[]) {
  if (groups === undefined) return [];
  const ids = groups.split(',').map((one) => one.slice(one.indexOf(':') + 1));
  const nameOf = (id: string) => named.flatMap((all) => all?.find((one) => one.id === id)?.text ?? [])[0] ?? id;
  return [{ id: groups, text: ids.map((id) => (id === '' ? none : nameOf(id))).join(', ') }];
}

/** The options of a choice of these. */
export function inWords(words: Readonly<Record<string, Worded>>, language: 'en' | 'fr') {
  return Object.entries(words).map(([id, of]) => ({ id, text: of[language] }));
}
