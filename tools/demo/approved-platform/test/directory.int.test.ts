import { type ApprovedPlatform, startApprovedPlatform } from '../start-approved-platform.ts';
import { Client, clientId, clientSecret } from './client.ts';

let platform: ApprovedPlatform;
let client: Client;

beforeEach(async () => {
  platform = await startApprovedPlatform({ port: 0 });
  platform.setClient({ clientId, clientSecret, apiKey: 'a-static-key' });
  client = new Client(platform);
  await client.authenticate();
});
afterEach(() => platform.close());

test('the directory finds lines, and lacks what real ones lack', async () => {
  const line = { addressingIdentifier: '356000000_Status', siren: '356000000', addressingSuffix: 'Status' };
  platform.addToDirectory({ lines: [line], sirens: [{ siren: '356000000', businessName: 'Atelier Rivière' }] });
  const path = '/v1/directory-line/code:356000000_Status';
  const search = (filters: object, more = {}) => client.call('POST', '/v1/directory-line/search', { filters, ...more });
  const ofSiren = { siren: { op: 'strict', value: '356000000' } };
  const told = { ...line, platformType: 'WK', directoryLineStatus: 'Enabled' };
  expect(await search(ofSiren)).toMatchObject({ body: { totalNumberOfResults: 1, results: [told] } });
  expect(await search({ addressingSuffix: { op: 'contains', value: 'tus' } })).toMatchObject({
    body: { results: [{}] },
  });
  expect(await search({ siren: { op: 'contains', value: '3' } })).toMatchObject({ status: 400 });
  expect((await search(ofSiren, { fields: ['siren'] })).body).toMatchObject({ results: [{ siren: '356000000' }] });
  expect((await client.call('GET', path)).body).toEqual(told);
  expect(await client.call('GET', '/v1/directory-line/code:1')).toMatchObject({ status: 404 });
  expect((await client.call('GET', '/v1/siren/code-insee:356000000')).body).toMatchObject({
    administrativeStatus: 'A',
  });
  platform.set({ directory: 'without-status', lookUps: false });
  expect((await client.call('GET', path)).body).not.toHaveProperty('directoryLineStatus');
  expect(await client.call('GET', '/v1/siren/code-insee:356000000')).toMatchObject({ status: 503 });
  platform.set({ directory: 'unavailable' });
  expect(await client.call('GET', path)).toMatchObject({ status: 503, body: { errorCode: 'RESOURCE_ERROR' } });
});
