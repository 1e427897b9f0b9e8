import type { deadlines as en } from './deadline-texts.en.ts';

export const deadlines: typeof en = {
  title: 'Délais',
  overdue: 'En retard',
  filter: 'Délai',
  names: { response: 'Réponse', arrival: 'Arrivée', finish: 'Fin' },
  states: { running: 'En cours', paused: 'Suspendu', met: 'Tenu', missed: 'Manqué' },
  pauses: {
    quotes_to_decide: 'des devis attendent une décision',
    quotes_declined: 'ses devis ont été refusés',
    contractor_to_choose: 'un autre prestataire reste à choisir',
    client_asked: 'la suite a été demandée au client',
    canceled: 'le ticket est annulé',
  },
  left: (time) => `reste ${time}`,
  late: (time) => `${time} de retard`,
  within: { hours: (amount) => `${amount} heures ouvrées`, days: (amount) => `${amount} jours` },
  paused: (why) => `Suspendu\u00a0: ${why}`,
};
