import { eventually, TcpProxy, testInfra } from '@app/testing';
import { type FakeTicket, type FakeTicketService, startFakeTicketService } from '../fake-ticket-service.ts';
import { anOrder, type Client, outcome, pdf, usePurchases } from '../purchase-service.ts';

let proxy: TcpProxy;
let tickets: FakeTicketService;
let buyer: Client;
let ticket: FakeTicket;

beforeAll(async () => {
  tickets = await startFakeTicketService();
  proxy = await TcpProxy.start(tickets.url);
});
const service = usePurchases(() => ({
  tickets: Object.assign(tickets, { url: proxy.url(tickets.url) }),
  // Those of production: one that is mute is given up.
  ticketTimes: {},
}));
beforeEach(() => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
});
afterEach(() => {
  proxy.heal();
  tickets.behaviour = 'well';
  tickets.pushBehaviour = 'well';
  tickets.onPush = async () => {};
  tickets.refuseAll = false;
});
afterAll(() => proxy.close());

const outages: [string, () => void, [number, string]][] = [
  ['dead', () => proxy.refuse(), [502, 'purchase_unavailable']],
  ['broken', () => Object.assign(tickets, { behaviour: 'broken' }), [502, 'purchase_unavailable']],
  ['mute', () => Object.assign(tickets, { behaviour: 'mute' }), [504, 'purchase_timeout']],
];

test.each(outages)(
  'while the ticket service is %s nothing is written, and the same request succeeds later',
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
    tickets.behaviour = 'well';
    const again: number[] = [];
    for (const call of calls) again.push((await call()).status);
    expect(again).toEqual([201, 200, 200, 204]);
  },
);

describe('a database that is down', () => {
  let away: TcpProxy;
  beforeAll(async () => {
    away = await TcpProxy.start(testInfra().mongodbUrl);
  });
  afterAll(() => away.heal());
  const through = usePurchases(() => ({
    mongodbUrl: `mongodb://127.0.0.1:${away.port}/?directConnection=true&serverSelectionTimeoutMS=5000`,
  }));
  afterAll(() => away.close());

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
    const logged = through.logger.lines.filter(({ message }) => message === 'request could not be served');
    expect(logged[0]?.fields).toMatchObject({
      code: 'purchase_unavailable',
      cause: expect.stringMatching(/connect|closed|ECONNRESET/),
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

describe('a push', () => {
  const once = usePurchases(() => ({ ticketTimes: { pushForMs: 0 } }));

  test.each([
    ['broken', [502, 'purchase_unavailable']],
    ['mute', [504, 'purchase_timeout']],
  ] as const)(
    'to a ticket service that is %s fails the write, and the same request completes it',
    async (how, expected) => {
      const before = await once.files();
      const client = once.as();
      const on = once.tickets.add(client.id);
      const [changed, filed, removed] = [
        (await client.create(on.id)).data.purchase.id,
        (await client.create(on.id)).data.purchase.id,
        (await client.create(on.id)).data.purchase.id,
      ];
      const body = anOrder();
      const calls = [
        () => client.create(on.id, body),
        () => client.patch(on.id, changed, { amount: 5 }),
        () => client.attach(on.id, filed, [pdf]),
        () => client.remove(on.id, removed),
      ];
      once.tickets.pushBehaviour = how;
      const answers = await Promise.all(calls.map((call) => call()));
      expect(answers.map(outcome)).toEqual(calls.map(() => expected));
      expect(answers[0]?.data.error).toMatch(/what you sent is saved, .* send the same request again/);

      once.tickets.pushBehaviour = 'well';
      once.tickets.pushed.length = 0;
      const again = [];
      for (const call of calls) again.push(await call());
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
      expect(again[0]?.data.created).toBe(false);
      const pushed = once.tickets.pushed.map(({ purchase }) => [purchase.id, purchase.version, purchase.deleted]);
      expect(pushed).toEqual([
        [again[0]?.data.purchase.id, 1, false],
        [changed, 2, false],
        [filed, 3, false],
        [removed, 2, true],
      ]);
      // Nothing that was saved is undone: both files exist, and no event is published twice.
      expect(await once.files()).toBe(before + 2);
      for (const call of [...calls.slice(0, 2), ...calls.slice(3)]) await call();
      expect(once.tickets.pushed).toHaveLength(pushed.length);
      const published = () => once.events.filter(({ data }) => data.purchase?.id === removed);
      await eventually(() =>
        expect(
          published()
            .map(({ data }) => data.purchase.version)
            .sort(),
        ).toEqual([1, 2]),
      );
    },
  );
});

test('a ticket service that is down for a moment is waited for', async () => {
  tickets.pushBehaviour = 'broken';
  let tries = 0;
  tickets.onPush = async () => {
    tries += 1;
    if (tries > 2) tickets.pushBehaviour = 'well';
  };
  const { status, data } = await buyer.create(ticket.id);
  expect([status, tickets.pushed.at(-1)?.purchase.id]).toEqual([201, data.purchase.id]);
});

test('a push that is refused because the caller lost the ticket leaves nothing for a read to miss', async () => {
  const { id } = (await buyer.create(ticket.id)).data.purchase;
  tickets.onPush = async () => void ticket.views.delete(buyer.id);
  tickets.refuseAll = true;
  expect((await buyer.patch(ticket.id, id, { amount: 5 })).status).toBe(200);
});
