import { typologies } from '@app/ticket/tickets/ticket.ts';
import { matching, type Population } from './ticket-population.ts';

export type Query = {
  name: string;
  /** As whom it is asked. */
  as: 'client' | 'contractor';
  /** Below `/api/v3.0/tickets`: one, or several that are asked in turn. */
  paths(population: Population): string[];
  /** How many tickets match; null if not checked (a page of all tickets, or no list). */
  matches: number | null;
};

const readIds = 500;
const window = 300 * 86_400_000;

/** Reads, and every documented filter of the list, each matching as many tickets in every population. */
export const queries: Query[] = [
  {
    name: 'read of a ticket',
    as: 'client',
    paths: ({ ids }) => spread(ids, readIds).map((id) => `/${id}`),
    matches: null,
  },
  { ...filter('page of 50', () => ''), matches: null },
  {
    ...filter('cursor, from the middle', ({ ids }) => `?cursor=${ids[Math.floor(ids.length / 2)]}`),
    matches: null,
  },
  filter('created_after', ({ size, createdAt }) => `?created_after=${createdAt(size - matching)}`),
  filter('created_before', ({ createdAt }) => `?created_before=${createdAt(matching)}`),
  filter('updated_after', ({ updatedAfter }) => `?updated_after=${updatedAfter}`),
  {
    ...filter('updated_after, 300 days', ({ createdAt, size }) => `?updated_after=${createdAt(size) - window}`),
    matches: null,
  },
  {
    ...filter(
      'the same, from the middle',
      ({ ids, createdAt, size }) =>
        `?updated_after=${createdAt(size) - window}&cursor=${ids[Math.floor(ids.length / 2)]}`,
    ),
    matches: null,
  },
  filter('assigned_after', ({ assignedAfter }) => `?assigned_after=${assignedAfter}`),
  filter('status', () => '?status=finished'),
  filter('typology', () => `?typology=${typologies.sinistre}`),
  { ...filter('interventions', () => '?interventions=true'), matches: 2 * matching },
  // Nearly all are for maintenance: a time of creation leaves as many in every population.
  filter(
    'maintenances, created_after',
    ({ size, createdAt }) => `?maintenances=true&created_after=${createdAt(size - matching)}`,
  ),
  { ...filter('the newest 50', () => '?order=desc'), matches: null },
  // All tickets have this word: its first page.
  { ...filter('q', () => '?q=cold'), matches: null },
  { ...filter('q, two words', () => '?q=cold%20room'), matches: null },
  { ...filter('priority', () => '?priority=high'), matches: null },
  filter('priority and status', () => '?priority=high&status=finished'),
  { ...filter('client_id', ({ guest }) => `?client_id=${guest}`), as: 'contractor' },
];

function filter(name: string, path: (population: Population) => string): Query {
  return { name, as: 'client', paths: (population) => [path(population)], matches: matching };
}

function spread(ids: string[], howMany: number): string[] {
  const step = ids.length / howMany;
  return Array.from({ length: howMany }, (_, index) => ids[Math.floor(index * step)] as string);
}
