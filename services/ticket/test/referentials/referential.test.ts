import {
  allIds,
  changesOf,
  createReferential,
  idFaults,
  namedBy,
  namingFaults,
  type Referential,
  type ReferentialInput,
  type ReferentialKind,
} from '../../referentials/referential.ts';

const identity = (_id: string, kind: ReferentialKind = 'location') => ({ _id, client_id: 'acme', kind });
const make = (_id: string, kind: ReferentialKind, input: ReferentialInput = {}): Referential =>
  createReferential(identity(_id, kind), { name: _id, ...input });
const deleted = (one: Referential): Referential => ({ ...one, deleted_at: new Date(0) });

test('an address has all its parts', () => {
  const none = { postalCode: null, country: null, route: null, streetNumber: null, fullAddress: null, zone: null };
  expect(make('a', 'location', { address: { city: 'Lyon', lat: 45.76 } })).toMatchObject({
    address: { ...none, city: 'Lyon', lat: 45.76, lng: null },
  });
});

test('a changed address is replaced whole', () => {
  expect(changesOf({ address: { zone: 'Z' } }).address).toMatchObject({ zone: 'Z', city: null, lng: null });
});

describe('references between entries', () => {
  test('is checked only where it is new', () => {
    const current = make('a', 'location', { parent_id: 'b', location_facturation_id: 'c' });
    expect([...namedBy({ parent_id: 'b', location_facturation_id: 'd' }, current)]).toEqual([
      ['location_facturation_id', 'd'],
    ]);
    expect([...namedBy({ parent_id: null }, current)]).toEqual([]);
    expect([...namedBy({ parent_id: 'b', location_facturation_id: 'c' })]).toEqual([
      ['parent_id', 'b'],
      ['location_facturation_id', 'c'],
    ]);
  });

  test.each<[string, Referential[], string[]]>([
    ['a live one of its kind', [make('b', 'location')], []],
    ['nothing', [], ['parent_id']],
    ['another kind', [make('b', 'domain')], ['parent_id']],
    ["another client's", [{ ...make('b', 'location'), client_id: 'other' }], ['parent_id']],
    ['a deleted one', [deleted(make('b', 'location'))], ['parent_id']],
  ])('must be live, of its kind and client: %s', (_name, found, paths) => {
    const faults = namingFaults(identity('a'), new Map([['parent_id', 'b']]), found);
    expect(faults.map(({ path }) => path)).toEqual(paths);
  });

  test('must not be itself, and every fault is reported', () => {
    const named = new Map([
      ['parent_id', 'a'],
      ['location_facturation_id', 'b'],
    ]);
    const faults = namingFaults(identity('a'), named, [make('a', 'location')]);
    expect(faults.map(({ path }) => path)).toEqual(['parent_id', 'location_facturation_id']);
  });
});

describe('ids that a ticket or contractor names', () => {
  const found = [
    make('l', 'location'),
    deleted(make('gone', 'location')),
    make('e', 'equipment'),
    make('j', 'job'),
    make('d', 'domain'),
    make('both', 'custom_field'),
    make('tickets', 'custom_field', { target: 'ticket' }),
    make('contractors', 'custom_field', { target: 'contractor' }),
  ];
  const none: string[] = [];
  test.each([
    [
      'all right',
      { location_ids: ['l'], equipment_ids: ['e'], job_ids: ['j'], domain_ids: ['d'], field_ids: ['both'] },
      none,
    ],
    ['nothing named', {}, none],
    ['deleted', { location_ids: ['l', 'gone'] }, ['location_ids.1']],
    [
      'unknown',
      { equipment_ids: ['x'], job_ids: ['x'], domain_ids: ['x'] },
      ['equipment_ids.0', 'job_ids.0', 'domain_ids.0'],
    ],
    ['of another kind', { location_ids: ['e'], job_ids: ['d'] }, ['location_ids.0', 'job_ids.0']],
    ['unknown field', { field_ids: ['both', 'x'] }, ['fields.1.field_id']],
    ['field for contractors', { field_ids: ['tickets', 'contractors'] }, ['fields.1.field_id']],
  ])('on a ticket: %s', (_name, ids, paths) => {
    expect(idFaults(ids, found, 'ticket').map(({ path }) => path)).toEqual(paths);
  });

  test('on a contractor, a field for tickets is refused', () => {
    const faults = idFaults({ field_ids: ['both', 'tickets', 'contractors'] }, found, 'contractor');
    expect(faults.map(({ path }) => path)).toEqual(['fields.1.field_id']);
  });

  test('are each asked for once', () => {
    expect(allIds({ location_ids: ['a', 'b', 'a'], field_ids: ['c'], job_ids: undefined })).toEqual(['a', 'b', 'c']);
  });
});
