import {
  createReferential,
  type Referential,
  type ReferentialInput,
  type ReferentialKind,
} from '../../referentials/referential.ts';
import { pick, referentialView, resolved } from '../../referentials/referential-view.ts';

const make = (_id: string, kind: ReferentialKind, input: ReferentialInput = {}): Referential =>
  createReferential({ _id, client_id: 'acme', kind }, { name: `name of ${_id}`, ...input });
const known = (...all: Referential[]) => new Map(all.map((one) => [one._id, one]));

test.each([
  ['equipment', { _id: 'a', name: 'name of a', parent_id: null }],
  ['domain', { _id: 'a', name: 'name of a', parent_id: null }],
  ['job', { _id: 'a', name: 'name of a' }],
  ['custom_field', { _id: 'a', name: 'name of a', target: null }],
] as const)('a %s shows its fields and nothing of its keeping', (kind, view) => {
  expect(referentialView(make('a', kind), new Map())).toEqual(view);
});

test('one read serves many tickets: views by kind and id, given in the order asked, deleted ones too', () => {
  const deleted = { ...make('l2', 'location'), deleted_at: new Date() };
  const all = [make('l1', 'location'), deleted, make('e', 'equipment'), make('d', 'domain'), make('j', 'job')];
  const views = resolved(all, known(...all));
  expect(pick(views.locations, ['l2', 'l1', 'unknown']).map(({ _id }) => _id)).toEqual(['l2', 'l1']);
  expect(pick(views.jobs, ['j'])).toEqual([{ _id: 'j', name: 'name of j' }]);
  expect([views.equipments, views.domains].map((map) => [...map.keys()])).toEqual([['e'], ['d']]);
});
