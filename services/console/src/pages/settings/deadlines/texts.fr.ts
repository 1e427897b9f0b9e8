import { deadlines as words } from '../../tickets/deadlines/deadline-texts.fr.ts';
import type { en } from './texts.en.ts';

export const fr: typeof en = {
  ...words,
  intro:
    'Quand un prestataire doit répondre, venir et terminer. Parmi les lignes qui conviennent à un ticket, celle du lieu le plus proche l’emporte, puis celle du domaine le plus proche, puis la typologie. Les prestataires voient ce qui vaut pour leurs tickets.',
  openedAt: 'Aperçu\u00a0: un ticket ouvert le',
  addPolicy: 'Ajouter des délais',
  noPolicies: 'Pas encore de délais\u00a0: rien n’est jamais en retard.',
  hours: 'Horaires',
  hoursHint:
    'Les heures ne passent que pendant l’ouverture du lieu\u202f; un jour compte 24 heures. Si un ticket a plusieurs lieux, le premier compte.',
  addHours: 'Ajouter des horaires',
  noHours: 'Pas encore d’horaires. Pour des délais, il faut ceux de tous les lieux.',
  appliesTo: 'S’applique à',
  everything: 'Tout',
  domain: 'Domaine',
  typology: 'Typologie',
  priorities: { high: 'Haute', medium: 'Moyenne', low: 'Basse', none: 'Aucune' },
  typologies: {
    '5ebb096fe1bde10a7ee21348': 'Curatif',
    '5ebb096fe1bde10a7ee21349': 'Maintenance',
    '5f770cb039e6b8004a1cc0b7': 'Levée de réserves',
    '5ebb096fe1bde10a7ee2134b': 'Sinistre',
    '5ebb096fe1bde10a7ee2134a': 'Travaux',
  },
  unit: 'Unité',
  units: { hours: 'Heures ouvrées', days: 'Jours' },
  openingsHint: 'Par exemple 08:00-12:00 13:30-18:00\u202f; vide si fermé',
  holidays: 'Jours fériés',
  holidayKinds: { FR: 'Ceux de toute la France sont fermés', none: 'Ouvert comme les autres jours' },
  closed: 'Autres jours de fermeture',
  closedHint: 'Un par ligne, comme 2026-12-24',
  saved: 'Délais enregistrés',
  warnPercent: 'Avertir à, en pourcentage du délai',
  warnHint: 'Un avertissement part alors, et un autre à la fin.',
  warnedAt: 'Avertissement',
  percent: (share) => `à ${share}\u00a0%`,
};
