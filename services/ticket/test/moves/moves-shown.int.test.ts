import { loadSettings } from '../../config.ts';
import { type Client, type Contractor, newTicket, tickets, usePlatform } from '../platform.ts';

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

const platform = usePlatform({ strictClose: strictClose({ STRICT_CLOSE: 'true' }) });
let client: Client;
let contractor: Contractor;

beforeAll(async () => {
  client = platform.as();
  contractor = await platform.contractorOf(client);
});

type Move = { operation: string; method: string; path: string; to: string; needs: string[]; body?: object };
const movesOf = async (path: string, who: Client): Promise<Move[]> => (await who.get(path)).data.moves;

/** Values for the fields that a move needs. */
const values = (): Record<string, unknown> => ({
  contractor_ids: [contractor.id],
  contractor_id: contractor.id,
  start: Date.now() - 7_200_000,
  // After the planned date, which this one confirms as done.
  end: Date.now() + 10_800_000,
  reference: 'D-1',
  price: '10',
});

function carryOut({ method, path, needs, body, operation }: Move, who: Client) {
  const fields = Object.fromEntries(needs.map((name) => [name, values()[name]]));
  if (/^add_.*quote$/.test(operation)) return who.upload(path, fields as Record<string, string>);
  return who.call(method, path, { ...fields, ...body });
}

async function aTicket(...steps: [Client, string, object?][]): Promise<string> {
  const path = await newTicket(client);
  for (const [who, step, body] of steps) {
    const [method = '', suffix = ''] = step.split(' ');
    expect((await who.call(method, path + suffix, body ?? {})).status).toBeLessThan(300);
  }
  return path;
}

const assign = (): [Client, string, object] => [client, 'POST /assign', { contractor_id: contractor.id }];
const inAnHour = () => ({ type: 'planned', start: Date.now() + 3_600_000, end: Date.now() + 7_200_000 });
/** Operations that were carried out already, each once a party. */
const done = new Set<string>();

test.each([
  ['opened', () => aTicket()],
  ['proposed', () => aTicket([client, 'POST /propose', { contractor_ids: [contractor.id] }])],
  ['assigned', () => aTicket(assign())],
  ['intervention', () => aTicket(assign(), [client, 'POST /dates', inAnHour()])],
  ['finished', () => aTicket(assign(), [client, 'PUT /finish'])],
])('each move that a read of a ticket that is %s shows works, with what it says it needs', async (_status, make) => {
  for (const who of [client, contractor]) {
    const first = await make();
    const shown = (await who.get(first)).status === 404 ? [] : await movesOf(first, who);
    for (const { operation } of shown) {
      const once = `${operation} by ${who.caller.companyKind}`;
      if (done.has(once)) continue;
      done.add(once);
      const path = await make();
      const move = (await movesOf(path, who)).find((one) => one.operation === operation) as Move;
      const { status, data } = await carryOut(move, who);
      const adds = operation.startsWith('add_') || (/_done|^plan_/.test(operation) && move.method === 'POST');
      expect([operation, status, data]).toEqual([operation, adds ? 201 : 200, data]);
      expect((await who.get(path)).data.status ?? 'removed').toBe(move.to);
    }
  }
});

test('a list shows no moves', async () => {
  await aTicket();
  expect((await client.get(tickets)).data.tickets[0]).not.toHaveProperty('moves');
});

test('where closing is strict, a ticket is closed once it is finished; elsewhere also while it is under way', async () => {
  const ticket = await aTicket();
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
  expect([strictClose({}), strictClose({ STRICT_CLOSE: 'false' })]).toEqual([false, false]);
});
