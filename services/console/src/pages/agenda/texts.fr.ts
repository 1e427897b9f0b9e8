import type { en } from './texts.en.ts';

export const fr: typeof en = {
  view: 'Vue',
  views: { week: 'Semaine', month: 'Mois' },
  earlier: 'Précédent',
  later: 'Suivant',
  today: 'Aujourd’hui',
  nothing: 'Rien n’est prévu ni fait pendant ces jours.',
  states: {
    visit: { planned: 'Visite', done: 'Visite faite' },
    intervention: { planned: 'Intervention', done: 'Intervention faite' },
  },
  more: (count) => (count < 2 ? `${count} autre` : `${count} autres`),
  fewer: 'Réduire',
  undated: (count) => `Sans date (${count})`,
  allUndated: 'Tous les tickets à planifier',
  due: (when) => `Échéance\u00a0: ${when}`,
  planNamed: (ticket) => `Planifier une date pour ${ticket}`,
  notPlannable: (ticket, status) =>
    `Aucune date ne peut être planifiée pour ${ticket}\u00a0: le ticket est «\u00a0${status}\u00a0».`,
  move: 'Déplacer',
  moveNamed: (ticket) => `Déplacer la date de ${ticket}`,
  moveHint: 'L’ancienne date est annulée, et l’autre partie apprend la nouvelle. La durée reste la même.',
  start: 'Nouveau début',
  startIn: (zone) => `Nouveau début (heure de ${zone})`,
  moved: (ticket) => `Date de ${ticket} déplacée`,
  notMovable: (ticket, status) =>
    `La date de ${ticket} ne peut pas être déplacée\u00a0: le ticket est «\u00a0${status}\u00a0», et aucune autre date ne peut y être planifiée.`,
};
