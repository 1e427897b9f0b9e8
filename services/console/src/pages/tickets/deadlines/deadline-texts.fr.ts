import type { deadlines as en } from './deadline-texts.en.ts';

export const deadlines: typeof en = {
  title: 'Délais',
  overdue: 'En retard',
  filter: 'Délai',
  names: { response: 'Réponse', arrival: 'Arrivée', finish: 'Fin' },
  states: { running: 'En cours', paused: 'Suspendu', met: 'Tenu', missed: 'Dépassé' },
  pauses: {
    quotes_to_decide: 'des devis attendent une décision',
    quotes_declined: 'ses devis ont été refusés',
    contractor_to_choose: 'un autre prestataire reste à choisir',
    client_asked: 'la suite a été demandée au client',
    canceled: 'le ticket est annulé',
  },
  left: (time) => `il reste ${time}`,
  late: (time) => `${time} de retard`,
  within: {
    hours: (amount) => (amount > 1 ? `${amount} heures ouvrées` : `${amount} heure ouvrée`),
    days: (amount) => (amount > 1 ? `${amount} jours` : `${amount} jour`),
  },
  paused: (why) => `Suspendu\u00a0: ${why}`,
  move: 'Déplacer',
  moveOf: (name) => `Déplacer l’échéance\u00a0: ${name}`,
  newDueDate: 'Nouvelle échéance',
  reason: 'Motif',
  reasonHint: 'Le prestataire le lit aussi.',
  moved: (name) => `Échéance déplacée\u00a0: ${name}`,
};
