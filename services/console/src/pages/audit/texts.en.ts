import { auditActionWords, auditReasonWords, inLanguage } from '@app/kernel/words';
import { fieldWords } from './field-words.ts';
export const en = {
  intro: 'Who did what in your company, when and from where. Kept for 400 days; nobody can change or remove an entry.',
  log: 'Audit log',
  at: 'When',
  who: 'Who',
  what: 'What',
  target: 'To what',
  where: 'From where',
  action: 'Action',
  none: 'No entries',
  noneHint: 'Nothing fits these filters.',
  platform: 'Platform administration',
  unknown: 'Unknown',
  failedBefore: (count: number) => `${count} failed ${count === 1 ? 'attempt' : 'attempts'} just before`,
  changed: (fields: string) => `Changed: ${fields}`,
  actions: inLanguage<string>(auditActionWords, 'en'),
  fields: inLanguage<string>(fieldWords, 'en'),
  reasons: inLanguage<string>(auditReasonWords, 'en'),
};
