import {
  changedFields,
  changesOf,
  differences,
  eventsSince,
  formerValues,
} from '../../src/pages/tickets/edit/draft.ts';
import type { Ticket } from '../../src/pages/tickets/list-query.ts';

const [lyon, paris] = ['a'.repeat(24), 'b'.repeat(24)];
const ticket = {
  title: 'Leak',
  description: 'It drips',
  priority_label: 'none',
  updated_at: '2026-11-24T10:00:00.000Z',
  locations: [{ _id: lyon }],
  equipments: [],
  jobs: [],
  domains: [],
  managers: [],
  contacts: [],
  fields: [{ field_id: 'cost', name: { fr: 'Centre', en: 'Centre' }, value: '12' }],
} as unknown as Ticket;

test.each([
  ['nothing was touched', {}, {}],
  ['the same was entered again', { title: 'Leak', location_ids: [lyon], fields: { cost: '12' } }, {}],
  ['a text is emptied', { description: '  ' }, { description: null }],
  ['the title is emptied, which the API refuses', { title: '' }, { title: '' }],
  ['a place is added', { location_ids: [lyon, paris] }, { location_ids: [lyon, paris] }],
  ['every place is taken away', { location_ids: [] }, { location_ids: [] }],
  ['the period begins on a day', { start_date: '2026-12-01' }, { start_date: '2026-12-01T00:00:00Z' }],
  ['a custom field goes', { fields: { cost: '' } }, { fields: [{ field_id: 'cost', value: null }] }],
  ['another one comes', { fields: { cost: '12', site: 'B' } }, { fields: [{ field_id: 'site', value: 'B' }] }],
])('what differs is sent: %s', (_what, draft, changes) => {
  expect(changesOf(ticket, draft)).toEqual(changes);
});

test('custom fields are sent in the order by which a fault of them is found', () => {
  expect(changedFields(ticket, { fields: { cost: '12', site: 'B', floor: '3' } })).toEqual(['site', 'floor']);
});

test('what takes changes back is what was there before', () => {
  const changes = changesOf(ticket, { description: '', fields: { cost: '13', site: 'B' } });
  expect(formerValues(ticket, changes)).toEqual({ description: 'It drips', fields: { cost: '12', site: '' } });
});

test('two versions differ by what was added, changed and taken away', () => {
  const fact = (name: string, value: string) => ({ name, value });
  expect(differences([fact('Title', 'Leak'), fact('Site', 'B')], [fact('Title', 'Leaks'), fact('Floor', '3')])).toEqual(
    [
      { name: 'Title', before: 'Leak', after: 'Leaks' },
      { name: 'Site', before: 'B', after: '' },
      { name: 'Floor', before: '', after: '3' },
    ],
  );
});

test('what happened since the ticket was read, the newest first', () => {
  const at = (minute: string) => ({ at: `2026-11-24T10:${minute}:00.000Z` });
  expect(eventsSince([at('00'), at('01'), at('02')], ticket)).toEqual([at('02'), at('01')]);
});
