import { ticketChanged } from '@app/contracts';
import { eventually } from '@app/testing';
import { type Service, useService, type World } from '../reconciliation.ts';
import { aTicket, viewOf } from '../snapshots.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };

let service: Service;
useService({ settings: { rematchDelayMs: 600_000 } }, (one) => {
  service = one;
});

let numbers = 4520;
const jobOf = (number: string) => `JOB ${number.slice('2026-00'.length)}`;

/** An invoice that names a ticket in this supplier's way; its amount matches nothing. */
const written = (number: string) => ({ amounts: odd, references: { buyer_reference: jobOf(number) } });

async function ticketsOf({ contractor }: World, count: number) {
  const tickets = Array.from({ length: count }, () => aTicket(contractor, { number: `2026-00${++numbers}` }));
  const ids = await service.publish(ticketChanged, ...tickets.map((ticket) => ({ ticket })));
  await eventually(() => expect(ids.filter((id) => !service.handled.has(id))).toEqual([]));
  return tickets;
}

async function linked(world: World, ticket: ReturnType<typeof aTicket>): Promise<string> {
  const { _id } = await service.ingest(world.id, written(ticket.number));
  const to = { ticketId: ticket.id, viewId: viewOf(ticket) };
  expect((await world.client.call('post', `/invoices/${_id}/link`, to)).status).toBe(200);
  return _id;
}

async function suggestedFor(world: World, number: string) {
  const { suggestions, state } = await service.ingest(world.id, written(number));
  const mine = suggestions.find((one) => one.number === number);
  return { state, first: suggestions[0]?.number, reasons: mine?.reasons ?? [] };
}

test('after three links by hand a supplier’s way of writing references is known: its ticket is suggested first, and not matched automatically', async () => {
  const world = await service.world();
  const [one, two, three, four] = (await ticketsOf(world, 4)) as [...ReturnType<typeof aTicket>[]];
  const reason = `ticket number ${four?.number}, as this supplier writes it: “${jobOf(String(four?.number))}”`;
  for (const ticket of [one, two]) await linked(world, ticket as never);
  expect((await suggestedFor(world, String(four?.number))).reasons).not.toContain(reason);
  const third = await linked(world, three as never);
  expect(await suggestedFor(world, String(four?.number))).toEqual({
    state: 'ticket_unmatched',
    first: four?.number,
    reasons: expect.arrayContaining([reason]),
  });
  // A link that was undone does not count.
  expect((await world.client.call('post', `/invoices/${third}/unlink`)).status).toBe(200);
  expect((await suggestedFor(world, String(four?.number))).reasons).not.toContain(reason);
});

test('links of another client do not count, and an invoice that is linked repeatedly counts once', async () => {
  const world = await service.world();
  const [one, two] = (await ticketsOf(world, 2)) as [...ReturnType<typeof aTicket>[]];
  const invoice = await linked(world, one as never);
  for (let again = 0; again < 4; again++) {
    await world.client.call('post', `/invoices/${invoice}/unlink`);
    const to = { ticketId: one?.id, viewId: viewOf(one as never) };
    expect((await world.client.call('post', `/invoices/${invoice}/link`, to)).status).toBe(200);
  }
  const { reasons } = await suggestedFor(world, String(two?.number));
  expect(reasons.join()).not.toContain('as this supplier writes it');
});
