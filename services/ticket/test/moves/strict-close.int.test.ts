import { loadSettings } from '../../config.ts';
import { type Platform, startPlatform } from '../platform.ts';

/** What the service needs to start. */
const env = {
  OPS_PORT: '1',
  PORT: '1',
  MONGODB_URL: 'mongodb://db',
  AMQP_URL: 'amqp://broker',
  INTERNAL_TOKEN_PUBLIC_KEYS: 'keys',
  DOWNLOAD_LINK_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
  PUBLIC_TICKET_API_URL: 'http://api',
  PUBLIC_DOWNLOAD_URL: 'http://files',
  IDENTITY_URL: 'http://identity',
};
const strictClose = (given: object) => loadSettings({ ...env, ...given }).STRICT_CLOSE;

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ strictClose: strictClose({ STRICT_CLOSE: 'true' }) });
});
afterAll(() => platform.stop());

test('a ticket under way can be closed unless the setting says otherwise', () => {
  expect([strictClose({}), strictClose({ STRICT_CLOSE: 'false' })]).toEqual([false, false]);
});

test('where closing is strict, a ticket is closed once it is finished, and not before', async () => {
  const client = platform.as();
  const { ticket_id } = (await client.post('/api/v3.0/tickets', { title: 'Leak' })).data;
  const ticket = `/api/v3.0/tickets/${ticket_id}`;
  const early = await client.put(`${ticket}/close`);
  expect([early.status, early.data]).toMatchObject([
    409,
    { code: 'ticket_transition_forbidden', from: 'opened', operation: 'close' },
  ]);
  expect((await client.put(`${ticket}/finish`)).status).toBe(200);
  for (const _again of [1, 2]) {
    const { status, data } = await client.put(`${ticket}/close`);
    expect([status, data.status]).toEqual([200, 'closed']);
  }
});
