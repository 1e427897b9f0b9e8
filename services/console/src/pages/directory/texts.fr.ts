import { contractorTypes, inLanguage } from '@app/kernel/words';
import type { en } from './texts.en.ts';

export const fr: typeof en = {
  intro: 'Les prestataires à qui les tickets sont proposés et affectés.',
  add: 'Ajouter un prestataire',
  search: 'Chercher un prestataire',
  empty: 'Aucun prestataire',
  emptyHint: 'Ajoutez ceux qui travaillent pour vous, et proposez-leur des tickets.',
  ...inLanguage(contractorTypes, 'fr'),
  type: 'Type',
  linked: 'Utilise la plateforme',
  notLinked: 'Sans compte',
  companyIdHint:
    'Celui du compte du prestataire, connu de son administrateur. Il lui est demandé s’il travaille avec vous\u202f; définitif.',
  linkRequested: 'Attend son accord',
  added: (name) => `${name} ajouté`,
  saved: (name) => `${name} enregistré`,
};
