import { typologies } from '../../tickets/ticket.ts';
import { type Client, type Platform, startPlatform } from '../platform.ts';

let platform: Platform;
let client: Client;
beforeAll(async () => {
  platform = await startPlatform();
  client = platform.as();
});
afterAll(() => platform.stop());

const tickets = '/api/v3.0/tickets';
const create = (body: object) => client.post(tickets, { title: 'Leak', ...body });

test('a typology is named in any case, as ids are, and found by it in any case', async () => {
  const id = typologies.leveeReserves;
  const { status, data } = await create({ typology_id: id.toUpperCase() });
  expect(status).toBe(201);
  for (const typology of [id, id.toUpperCase()]) {
    const found = (await client.get(`${tickets}?typology=${typology}`)).data.tickets;
    expect(found).toMatchObject([{ _id: data.ticket_id, typology: { _id: id, name: 'typology-levee-reserves' } }]);
  }
});

test.each(['f'.repeat(24), 'curatif', ''])('%j is no typology', async (typology) => {
  const created = await create({ typology_id: typology });
  expect([created.status, created.data.errors[0].path]).toEqual([422, 'typology_id']);
  const listed = await client.get(`${tickets}?typology=${typology}`);
  expect([listed.status, listed.data.errors[0].path]).toEqual([422, 'typology']);
});

const maintained = { maintenance: 'Yearly', start_date: '2026-12-01', end_date: '2026-12-31' };

test.each([{}, { typology_id: typologies.travaux }])(
  'the maintenance and its period are refused, each by name, on a ticket of another typology: %j',
  async (typology) => {
    const { status, data } = await create({ ...maintained, ...typology, location_ids: ['f'.repeat(24)] });
    expect(status).toBe(422);
    expect(data.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      'end_date',
      'location_ids.0',
      'maintenance',
      'start_date',
    ]);
    expect((await create({ maintenance: null, start_date: null, end_date: null, ...typology })).status).toBe(201);
  },
);

test('a maintenance ticket reads back its maintenance and its period, which must not end before it begins', async () => {
  const typology_id = typologies.maintenance.toUpperCase();
  const { data } = await create({ ...maintained, typology_id });
  expect((await client.get(`${tickets}/${data.ticket_id}`)).data).toMatchObject({
    maintenance: 'Yearly',
    start_date: '2026-12-01T00:00:00.000Z',
    end_date: '2026-12-31T00:00:00.000Z',
  });
  const backwards = await create({ ...maintained, typology_id, end_date: '2026-11-30' });
  expect([backwards.status, backwards.data.errors[0].path]).toEqual([422, 'end_date']);
});
