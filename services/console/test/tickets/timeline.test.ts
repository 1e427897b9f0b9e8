import { movedInWords, quoteInWords } from '../../src/pages/tickets/timeline/timeline-entries.ts';

test.each([
  ['D-1 1234.5', 'en-GB', 'D-1, €1,234.50 HT'],
  ['D-1 1234.5 TTC', 'en-GB', 'D-1, €1,234.50 TTC'],
  ['Devis 12 B 1234.56', 'fr-FR', 'Devis 12 B, 1 234,56 € HT'],
  ['D-1 not a price', 'en-GB', 'D-1 not a price'],
  ['1234', 'en-GB', '1234'],
])('%j in the timeline, %s, is %j', (text, locale, words) => {
  expect(quoteInWords(text, locale).replace(/\s/g, ' ')).toBe(words);
});

test.each([
  ['arrival 2026-12-05T11:00:00.000Z The lift\nis closed', /^Arrivée, .*12:00 · The lift\nis closed$/],
  ['arrival at noon', /^arrival at noon$/],
])('%j in the timeline is in words', (text, words) => {
  const where = { locale: 'fr-FR', timeZone: 'Europe/Paris' };
  expect(movedInWords(text, { arrival: 'Arrivée' }, where)).toMatch(words);
});
