import type { en } from './texts.en.ts';

export const fr: typeof en = {
  title: 'Agenda',
  view: 'Vue',
  views: { week: 'Semaine', month: 'Mois' },
  earlier: 'Précédent',
  later: 'Suivant',
  today: 'Aujourd’hui',
  contractor: 'Prestataire',
  place: 'Site',
  manager: 'Responsable',
  nothing: 'Rien n’est prévu ni fait pendant ces jours.',
  states: {
    visit: { planned: 'Visite', done: 'Visite faite' },
    intervention: { planned: 'Intervention', done: 'Intervention faite' },
  },
  move: 'Déplacer',
  moveNamed: (ticket) => `Déplacer la date de ${ticket}`,
  moveHint: 'L’ancienne date est annulée, et l’autre partie apprend la nouvelle. La durée reste la même.',
  start: 'Nouveau début',
  startIn: (zone) => `Nouveau début (heure de ${zone})`,
  moved: (ticket) => `Date de ${ticket} déplacée`,
  notMovable: (ticket, status) =>
    `La date de ${ticket} ne peut pas être déplacée\u00a0: le ticket est «\u00a0${status}\u00a0», et aucune autre date ne peut y être planifiée.`,
};
