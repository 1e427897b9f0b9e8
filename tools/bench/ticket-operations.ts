import { type PreparedRequest, prepared } from './load.ts';
import { newTicket, ticketsPath } from './ticket-pool.ts';

/** Where requests go; without a token it is the bare server. */
export type Target = { name: string; port: number; token: string | null };

export type Operation = {
  name: string;
  /** Least share of the bare server's requests/s. */
  aim: number;
  /** True where each connection needs a ticket to itself. */
  perConnection?: true;
  unit: number;
  lists(target: Target, ids: string[]): PreparedRequest[][];
};

/** Pages begin after these shares of the tickets: the last one is still full. */
const pageStarts = [0, 0.2, 0.4, 0.6, 0.8];

/** What the platform does most, and the bare server can do too. */
export const operations: Operation[] = [
  {
    name: 'read of a ticket',
    aim: 0.4,
    unit: 1,
    lists: ({ token }, ids) => [ids.map((id) => ask(token, { path: `/${id}` }))],
  },
  {
    name: 'page of 50',
    aim: 0.4,
    unit: 1,
    lists({ token }, ids) {
      const cursors = pageStarts.map((share) => ids[Math.floor(share * ids.length)] as string);
      return [cursors.map((cursor) => ask(token, { path: `?cursor=${cursor}` }))];
    },
  },
  {
    name: 'creation',
    aim: 0.3,
    unit: 1,
    lists: ({ token }) => [[ask(token, { method: 'POST', path: '', body: newTicket, status: 201 })]],
  },
  {
    name: 'status change',
    aim: 0.3,
    perConnection: true,
    // Finished, then opened again: each request really moves the ticket, and a round leaves it as it was.
    unit: 2,
    lists: ({ token }, ids) =>
      ids.map((id) => [
        ask(token, { method: 'PUT', path: `/${id}/${token ? 'finish' : 'finished'}` }),
        ask(token, token ? { method: 'POST', path: `/${id}/open` } : { method: 'PUT', path: `/${id}/opened` }),
      ]),
  },
];

type Asked = { method?: string; path: string; body?: object; status?: number };

function ask(token: string | null, { path, ...rest }: Asked): PreparedRequest {
  return prepared({ ...rest, path: `${token ? ticketsPath : '/tickets'}${path}`, ...(token ? { token } : {}) });
}
