import { auditActionWords, auditReasonWords, inLanguage } from '@app/kernel/words';
import { fieldWords } from './field-words.ts';
import type { en } from './texts.en.ts';

export const fr: typeof en = {
  intro:
    'Qui a fait quoi dans votre entreprise, quand et d’où. Gardé 400 jours\u202f; personne ne peut changer ni supprimer une entrée.',
  log: 'Journal d’audit',
  at: 'Quand',
  who: 'Qui',
  what: 'Quoi',
  target: 'Sur quoi',
  where: 'D’où',
  action: 'Action',
  none: 'Aucune entrée',
  noneHint: 'Rien ne correspond à ces filtres.',
  platform: 'Administration de la plateforme',
  unknown: 'Inconnu',
  failedBefore: (count) => `${count}\u00a0échec${count > 1 ? 's' : ''} juste avant`,
  changed: (fields) => `Modifié\u00a0: ${fields}`,
  fields: inLanguage<string>(fieldWords, 'fr'),
  actions: inLanguage<string>(auditActionWords, 'fr'),
  reasons: inLanguage<string>(auditReasonWords, 'fr'),
};
