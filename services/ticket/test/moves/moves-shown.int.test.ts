import { type Client, type Platform, startPlatform } from '../platform.ts';

let platform: Platform;
let client: Client;
let contractor: Client & { id: string };

beforeAll(async () => {
  platform = await startPlatform({ strictClose: true });
  client = platform.as();
  contractor = await platform.contractorOf(client);
});
afterAll(() => platform.stop());

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
  const path = `/api/v3.0/tickets/${(await client.post('/api/v3.0/tickets', { title: 'Leak' })).data.ticket_id}`;
  for (const [who, step, body] of steps) {
    const [method = '', suffix = ''] = step.split(' ');
    expect((await who.call(method, path + suffix, body ?? {})).status).toBeLessThan(300);
  }
  return path;
}

test.each([
  ['opened', () => aTicket()],
  ['proposed', () => aTicket([client, 'POST /propose', { contractor_ids: [contractor.id] }])],
  ['assigned', () => aTicket([client, 'POST /assign', { contractor_id: contractor.id }])],
  [
    'intervention',
    () =>
      aTicket(
        [client, 'POST /assign', { contractor_id: contractor.id }],
        [client, 'POST /dates', { type: 'planned', start: Date.now() + 3_600_000, end: Date.now() + 7_200_000 }],
      ),
  ],
  ['finished', () => aTicket([client, 'POST /assign', { contractor_id: contractor.id }], [client, 'PUT /finish'])],
])('each move that a read of a ticket that is %s shows works, with what it says it needs', async (_status, make) => {
  for (const who of [client, contractor]) {
    const first = await make();
    const shown = (await who.get(first)).status === 404 ? [] : await movesOf(first, who);
    for (const { operation } of shown) {
      const path = await make();
      const move = (await movesOf(path, who)).find((one) => one.operation === operation) as Move;
      const { status, data } = await carryOut(move, who);
      expect([operation, status, data]).toEqual([
        operation,
        operation.startsWith('add_') || (/_done|^plan_/.test(operation) && move.method === 'POST') ? 201 : 200,
        data,
      ]);
      expect((await who.get(path)).data.status ?? 'removed').toBe(move.to);
    }
  }
});

test('a list shows no moves', async () => {
  await aTicket();
  expect((await client.get('/api/v3.0/tickets')).data.tickets[0]).not.toHaveProperty('moves');
});
