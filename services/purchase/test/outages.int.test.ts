import { eventually, startTcpProxy, type TcpProxy, testParts } from '@app/testing';
import { anOrder, type Client, outcome, type Purchases, pdf, startPurchases } from './purchase-service.ts';
import { type StandInTicket, startTickets, type TicketStandIn } from './ticket-stand-in.ts';

let service: Purchases;
let proxy: TcpProxy;
let tickets: TicketStandIn;
let buyer: Client;
let ticket: StandInTicket;

beforeAll(async () => {
  tickets = await startTickets();
  proxy = await startTcpProxy(tickets.url);
  service = await startPurchases({ tickets: Object.assign(tickets, { url: proxy.url(tickets.url) }) });
});
beforeEach(() => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
});
afterEach(() => {
  proxy.heal();
  tickets.mood = 'well';
  tickets.handOverMood = 'well';
});
afterAll(async () => {
  await service.drop();
  await proxy.close();
});

const outages: [string, () => void, [number, string]][] = [
  ['dead', () => proxy.refuse(), [502, 'purchase_unavailable']],
  ['broken', () => Object.assign(tickets, { mood: 'broken' }), [502, 'purchase_unavailable']],
  ['mute', () => Object.assign(tickets, { mood: 'mute' }), [504, 'purchase_timeout']],
];

test.each(outages)(
  'a ticket service that is %s: nothing is written, and the same request succeeds later',
  async (_how, fail, expected) => {
    const { id } = (await buyer.create(ticket.id)).data.purchase;
    const before = await service.stored({ ticket_id: ticket.id });
    const files = await service.files();
    const body = anOrder();
    const calls = [
      () => buyer.create(ticket.id, body),
      () => buyer.patch(ticket.id, id, { amount: 5 }),
      () => buyer.attach(ticket.id, id),
      () => buyer.remove(ticket.id, id),
    ];
    fail();
    for (const answer of await Promise.all(calls.map((call) => call()))) expect(outcome(answer)).toEqual(expected);
    expect([await service.stored({ ticket_id: ticket.id }), await service.files()]).toEqual([before, files]);

    proxy.heal();
    tickets.mood = 'well';
    const again: number[] = [];
    for (const call of calls) again.push((await call()).status);
    expect(again).toEqual([201, 200, 200, 204]);
  },
);

describe('a database that is away', () => {
  let away: TcpProxy;
  let through: Purchases;

  beforeAll(async () => {
    away = await startTcpProxy(testParts().mongodbUrl);
    through = await startPurchases({
      mongodbUrl: `mongodb://127.0.0.1:${away.port}/?directConnection=true&serverSelectionTimeoutMS=500`,
    });
  });
  afterAll(async () => {
    away.heal();
    await through.drop();
    await away.close();
  });

  test('is 502 for every write, and the same request succeeds later', async () => {
    const client = through.as();
    const on = through.tickets.add(client.id);
    const { id } = (await client.create(on.id)).data.purchase;
    const body = anOrder();
    const calls = [
      () => client.create(on.id, body),
      () => client.patch(on.id, id, { amount: 5 }),
      () => client.attach(on.id, id),
      () => client.remove(on.id, id),
    ];
    away.refuse();
    const answers = await Promise.all(calls.map((call) => call()));
    expect(answers.map(outcome)).toEqual(calls.map(() => [502, 'purchase_unavailable']));
    const logged = through.logger.lines.filter(({ message }) => message === 'request not served');
    expect(logged[0]?.fields).toMatchObject({
      code: 'purchase_unavailable',
      cause: expect.stringMatching(/connect|closed/),
    });

    away.heal();
    const again: number[] = [];
    for (const call of calls) {
      const { status } = await eventually(async () => {
        const answer = await call();
        expect(answer.status).not.toBe(502);
        return answer;
      });
      again.push(status);
    }
    expect(again).toEqual([201, 200, 200, 204]);
  });
});

test.each(['broken', 'mute'] as const)('a hand-over to a ticket service that is %s fails nothing', async (mood) => {
  tickets.handOverMood = mood;
  const created = await buyer.create(ticket.id);
  const { id } = created.data.purchase;
  const statuses = [
    created.status,
    (await buyer.patch(ticket.id, id, { amount: 5 })).status,
    (await buyer.attach(ticket.id, id, [pdf])).status,
    (await buyer.remove(ticket.id, id)).status,
  ];
  expect(statuses).toEqual([201, 200, 200, 204]);
  const told = () =>
    service.heard.filter(({ data }) => data.purchase?.id === id).map(({ data }) => data.purchase.version);
  await eventually(() => expect(told().sort()).toEqual([1, 2, 3, 4]));
});
