import type { Ticket } from '@app/ticket/tickets/ticket.ts';
import { typologies } from '@app/ticket/tickets/ticket.ts';
import type { Collection } from 'mongodb';
import { matching, type Population, populate } from '../tickets/ticket-population.ts';
import { queries } from '../tickets/ticket-queries.ts';

/** Keeps what is inserted: what is tested is which tickets are made, not where they go. */
async function made(size: number): Promise<{ population: Population; tickets: Ticket[] }> {
  const tickets: Ticket[] = [];
  const insertMany = async (batch: Ticket[]) => void tickets.push(...batch);
  const population = await populate({ insertMany } as unknown as Collection<Ticket>, size, () => undefined);
  return { population, tickets };
}

test.each([1_000, 2_345])('of %d tickets, as many match each filter', async (size) => {
  const { population, tickets } = await made(size);
  const own = tickets.filter(({ client_id }) => client_id === population.client);
  const count = (wanted: (ticket: Ticket) => boolean) => own.filter(wanted).length;
  const first = population.createdAt(size - matching);
  expect(own).toHaveLength(size);
  expect(tickets.filter(({ client_id }) => client_id === population.guest)).toHaveLength(matching);
  expect(count(({ created_at }) => created_at.getTime() >= first)).toBe(matching);
  expect(count(({ created_at }) => created_at.getTime() < population.createdAt(matching))).toBe(matching);
  expect(count(({ updated_at }) => updated_at.getTime() > population.updatedAfter)).toBe(matching);
  expect(count(({ assigned_at }) => (assigned_at?.getTime() ?? 0) > population.assignedAfter)).toBe(matching);
  expect(count(({ views }) => views[0]?.status === 'finished')).toBe(matching);
  expect(count(({ typology_id }) => typology_id === typologies.sinistre)).toBe(matching);
  expect(count(({ typology_id }) => typology_id !== typologies.maintenance)).toBe(2 * matching);
});

test('every documented filter of the list is asked', async () => {
  const { population } = await made(1_000);
  const asked = queries.flatMap(({ paths }) => [...new URLSearchParams(paths(population)[0]?.split('?')[1])]);
  const names = new Set(asked.map(([name]) => name));
  expect([...names].sort()).toEqual([
    'assigned_after',
    'client_id',
    'created_after',
    'created_before',
    'cursor',
    'interventions',
    'maintenances',
    'order',
    'priority',
    'q',
    'status',
    'typology',
    'updated_after',
  ]);
});
