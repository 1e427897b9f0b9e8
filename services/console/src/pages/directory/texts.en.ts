import { contractorTypes, inLanguage } from '@app/kernel/words';
export const en = {
  intro: 'The contractors that tickets are proposed and assigned to.',
  add: 'Add contractor',
  search: 'Search contractors',
  empty: 'No contractors yet',
  emptyHint: 'Add those who work for you, then propose tickets to them.',
  ...inLanguage(contractorTypes, 'en'),
  type: 'Type',
  linked: 'Uses the platform',
  notLinked: 'No account',
  companyIdHint:
    'Of the contractor’s account, as its administrator sees it. It is asked whether it works with you; set once.',
  linkRequested: 'Waiting for its agreement',
  added: (name: string) => `${name} added`,
  saved: (name: string) => `${name} saved`,
};
