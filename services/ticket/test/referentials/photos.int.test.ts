import { aJpeg, seen } from '../pictures/samples.ts';
import { type Client, outcome, pdf, usePlatform } from '../platform.ts';

const platform = usePlatform();
let client: Client;
beforeAll(() => {
  client = platform.as();
});

const photo = { name: 'boiler.jpg', content: aJpeg(800, 600) };
const base = '/api/v3.0';

async function make(path: string, body: object = {}): Promise<string> {
  const { status, data } = await client.post(`${base}/${path}`, { name: 'Boiler', ...body });
  expect(status).toBe(201);
  return `${base}/${path}/${(Object.values(data)[0] as { _id: string })._id}`;
}

async function stored(): Promise<number> {
  let count = 0;
  for await (const _ of platform.storage.list({ olderThan: new Date(Date.now() + 1000) })) count += 1;
  return count;
}

const photoOf = async (entry: string) =>
  (Object.values((await client.get(entry)).data)[0] as { photo: { s3_key: string } | null }).photo;

test.each(['equipments', 'locations'])('%s: a photo is set, shown, replaced and removed', async (kind) => {
  const entry = await make(kind);
  const before = await stored();
  const set = await client.upload(`${entry}/photo`, {}, photo, 'put');
  const [one] = Object.values(set.data) as [{ photo: { s3_key: string } }];
  const shown = { name: 'boiler.jpg', mimetype: 'image/jpeg', size: photo.content.length, s3_key: expect.any(String) };
  expect([set.status, one.photo]).toEqual([200, shown]);
  const thumbnail = `${entry}/photo/thumbnail?s3_key=${one.photo.s3_key}`;
  expect(await seen((await client.read(thumbnail)).data)).toMatchObject({ size: [480, 360], corners: 'rbbr' });
  expect((await client.get(`${entry}/photo/download-link?s3_key=${one.photo.s3_key}`)).status).toBe(200);

  expect((await client.upload(`${entry}/photo`, {}, photo, 'put')).status).toBe(200);
  expect(outcome(await client.get(thumbnail))).toEqual([404, 'document_not_found']);
  await platform.app.uploads.sweep();
  expect(await stored()).toBe(before + 1);

  expect((await client.call('delete', `${entry}/photo`)).status).toBe(204);
  expect(await photoOf(entry)).toBe(null);
  await platform.app.uploads.sweep();
  expect(await stored()).toBe(before);
});

test('a photo is a picture, its entry is of the company, and the company is a client', async () => {
  const entry = await make('equipments');
  const before = await stored();
  expect(outcome(await client.upload(`${entry}/photo`, {}, pdf, 'put'))).toEqual([415, 'file_type']);
  const [stranger, contractor] = [platform.as(), platform.as({ companyKind: 'contractor' })];
  expect(outcome(await stranger.upload(`${entry}/photo`, {}, photo, 'put'))).toEqual([404, 'equipment_not_found']);
  expect(outcome(await contractor.upload(`${entry}/photo`, {}, photo, 'put'))).toEqual([403, 'clients_only']);
  expect(await photoOf(entry)).toBe(null);
  expect(await stored()).toBe(before);
  await client.upload(`${entry}/photo`, {}, photo, 'put');
  const { s3_key } = (await photoOf(entry)) ?? { s3_key: '' };
  for (const file of ['thumbnail', 'download-link'])
    expect(outcome(await stranger.get(`${entry}/photo/${file}?s3_key=${s3_key}`))).toEqual([
      404,
      'equipment_not_found',
    ]);
});

test('equipment says where it is, who made it, and until when it is under warranty; a ticket shows none of it', async () => {
  const location = await make('locations');
  const facts = {
    location_id: location.slice(location.lastIndexOf('/') + 1),
    serial_number: 'SN-1',
    make: 'Viessmann Vitodens 200',
    in_service_since: '2024-02-29',
    warranty_until: '2029-02-28',
  };
  const entry = await make('equipments', facts);
  expect((await client.get(entry)).data.equipment).toMatchObject(facts);
  const ids = [entry.slice(entry.lastIndexOf('/') + 1)];
  const ticket = await client.post(`${base}/tickets`, { title: 'No heat', equipment_ids: ids });
  const { equipments } = (await client.get(`${base}/tickets/${ticket.data.ticket_id}`)).data;
  expect(equipments).toEqual([{ _id: ids[0], name: 'Boiler', parent_id: null }]);
  const faults = { location_id: ids[0], warranty_until: 'tomorrow', in_service_since: '2024-02-30' };
  expect(outcome(await client.patch(entry, { warranty_until: faults.warranty_until }))).toEqual([
    422,
    ['warranty_until'],
  ]);
  expect(outcome(await client.patch(entry, { in_service_since: faults.in_service_since }))).toEqual([
    422,
    ['in_service_since'],
  ]);
  expect(outcome(await client.patch(entry, { location_id: faults.location_id }))).toEqual([422, ['location_id']]);
});
