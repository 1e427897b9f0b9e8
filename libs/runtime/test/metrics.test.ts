import { gaugeOnScrape, metrics } from '../metrics.ts';

const lines = async (name: string) => (await metrics.metrics()).split('\n').filter((line) => line.startsWith(name));

test('a gauge is read for each scrape, and forgets labels that are gone', async () => {
  let values = [
    { labels: { state: 'open' }, value: 3 },
    { labels: { state: 'idle' }, value: 1 },
  ];
  gaugeOnScrape({ name: 'of_states', help: 'x', labelNames: ['state'], read: async () => values });
  expect(await lines('of_states')).toEqual(['of_states{state="open"} 3', 'of_states{state="idle"} 1']);
  values = [{ labels: { state: 'open' }, value: 4 }];
  expect(await lines('of_states')).toEqual(['of_states{state="open"} 4']);
});

test('what cannot be read is NaN, or missing if it has labels, and never a number; the others are still there', async () => {
  const read = () => Promise.reject(new Error('the database is away'));
  gaugeOnScrape({ name: 'unreadable_total', help: 'x', read });
  gaugeOnScrape({ name: 'unreadable_labels', help: 'x', labelNames: ['state'], read });
  gaugeOnScrape({ name: 'readable', help: 'x', read: async () => [{ value: 7 }] });
  expect(await lines('unreadable_total')).toEqual(['unreadable_total Nan']);
  expect(await lines('unreadable_labels')).toEqual([]);
  expect(await lines('readable')).toEqual(['readable 7']);
});

test('one of the same name replaces the one before', async () => {
  for (const value of [1, 2]) gaugeOnScrape({ name: 'made_twice', help: 'x', read: async () => [{ value }] });
  expect(await lines('made_twice')).toEqual(['made_twice 2']);
});
