import type { en } from './texts.en.ts';

export const fr: typeof en = {
  hello: (name) => `Bonjour ${name}. Voici ce qui vous attend.`,
  nothingHint: 'Rien ne vous attend.',
  noPermission: 'Vous n’avez pas encore de permissions',
  noPermissionHint: 'Un administrateur de votre entreprise peut vous en donner.',
  waiting: 'En attente de votre part',
  invoicesToMatch: 'Factures à rapprocher',
  invoicesInReview: 'Factures à vérifier',
  'to-assign': 'Tickets à affecter',
  'quotes-to-decide': 'Devis à valider',
  'dates-passed': 'Dates dépassées',
  'to-close': 'Tickets à clôturer',
  'to-answer': 'Propositions à traiter',
  'to-plan': 'Tickets à planifier',
  'to-confirm': 'Visites et interventions à confirmer',
  overdue: 'Tickets en retard',
  webhooksFailing: 'Points d’accès webhook en échec',
  requests: 'Clients qui demandent à travailler avec vous',
  requestsHint:
    'Ils ont inscrit votre entreprise dans leur annuaire. Si vous acceptez, ils pourront partager leurs tickets avec vous.',
  requestClient: 'Client',
  requestName: 'Vous désigne comme',
  requestAccept: 'Accepter',
  requestDecline: 'Refuser',
  requestAccepted: (client) => `${client} peut partager ses tickets avec vous`,
  requestDeclined: (client) => `Vous avez refusé ${client}`,
};
