import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { type DirectoryApp, startDirectoryApp } from '../companies/directory-app.ts';

let app: DirectoryApp;
beforeAll(async () => {
  app = await startDirectoryApp();
});
afterAll(() => app.stop());

const caller = aCaller();

async function create(path: string, body: object, by = caller) {
  const answer = await app.call(by, `POST /${path}`, body);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return Object.values(answer.body)[0] as { _id: string };
}
const location = (body: object = {}, by = caller) => create('locations', { name: 'Site', ...body }, by);

describe('locations', () => {
  const address = {
    postalCode: '69001',
    country: 'France',
    city: 'Lyon',
    route: 'rue de la République',
    streetNumber: '12 bis',
    fullAddress: '12 bis rue de la République, 69001 Lyon',
    zone: 'Nord',
    lat: 45.7676,
    lng: -4.83,
  };

  test('every field that is set is read back, with the location that is invoiced', async () => {
    const head = await location({ name: 'Head office', reference: 'HQ', address });
    const area = await location();
    const body = { name: 'Shop', parent_id: area._id, reference: 'S-1', address, location_facturation_id: head._id };
    expect(await location(body)).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Shop',
      parent_id: area._id,
      reference: 'S-1',
      address,
      location_facturation: { id: head._id, name: 'Head office', reference: 'HQ', address },
    });
  });

  test('null clears, and an address is replaced whole', async () => {
    const head = await location();
    const shop = await location({ parent_id: head._id, reference: 'S-1', address, location_facturation_id: head._id });
    const cleared = { parent_id: null, reference: null, location_facturation_id: null, address: { city: 'Nice' } };
    const { body } = await app.call(caller, `PATCH /locations/${shop._id}`, cleared);
    expect(body.location).toMatchObject({ parent_id: null, reference: null, location_facturation: null });
    expect(body.location.address).toMatchObject({ city: 'Nice', postalCode: null, lat: null });
  });

  test.each([
    ['a name too long', { name: 'x'.repeat(201) }, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['no number for lat', { address: { lat: '45' } }, 'address.lat'],
    ['lat out of range', { address: { lat: 90.1 } }, 'address.lat'],
    ['lng out of range', { address: { lng: -180.1 } }, 'address.lng'],
    ['a part too long', { address: { fullAddress: 'x'.repeat(501) } }, 'address.fullAddress'],
    ['an unknown part', { address: { town: 'x' } }, 'address.town'],
    ['a malformed parent', { parent_id: 'abc' }, 'parent_id'],
    ['an operator for a parent', { parent_id: { $ne: null } }, 'parent_id'],
    ['an unknown parent', { parent_id: newId() }, 'parent_id'],
    ['an unknown invoiced location', { location_facturation_id: newId() }, 'location_facturation_id'],
    ['an unknown field', { zip: '1' }, 'zip'],
    ['nothing', {}, ''],
  ])('a change with %s is refused and changes nothing', async (_name, body, path) => {
    const shop = await location();
    const answer = await app.call(caller, `PATCH /locations/${shop._id}`, body);
    expect([answer.status, answer.body.errors]).toEqual([422, [{ path, message: expect.any(String) }]]);
    expect((await app.call(caller, `GET /locations/${shop._id}`)).body.location).toEqual(shop);
  });

  test('faults of several ids are reported at once', async () => {
    const foreign = await location({}, aCaller());
    const domain = await create('domains', { name: 'x' });
    const body = { name: 'x', parent_id: foreign._id, location_facturation_id: domain._id };
    const { body: answer } = await app.call(caller, 'POST /locations', body);
    expect(answer.errors.map(({ path }: { path: string }) => path)).toEqual(['parent_id', 'location_facturation_id']);
  });

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=zz', 'name[$ne]=x', 'cursor[$gt]=', 'target=ticket'])(
    'the list refuses ?%s',
    async (query) => {
      expect((await app.call(caller, `GET /locations?${query}`)).status).toBe(422);
    },
  );
});

test.each(['ticket', 'contractor', null])('a custom field is for %s', async (target) => {
  const field = await create('custom-fields', { name: { fr: 'a', en: 'b' }, target });
  expect(field).toEqual({ _id: field._id, name: { fr: 'a', en: 'b' }, target });
});

test.each([
  [{ name: 'x' }, ['name']],
  [{ name: { fr: 'a' } }, ['name.en']],
  [{ name: { fr: '', en: 'x'.repeat(201) } }, ['name.fr', 'name.en']],
  [{ name: { fr: 'a', en: 'b', de: 'c' }, target: 'quote' }, ['name.de', 'target']],
])('a custom field %j is refused', async (body, paths) => {
  const answer = await app.call(caller, 'POST /custom-fields', body);
  expect([answer.status, answer.body.errors.map(({ path }: { path: string }) => path)]).toEqual([422, paths]);
});
