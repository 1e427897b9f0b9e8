import { type PreparedRequest, prepareRequest, uniqueNumber } from '../harness/load.ts';
import { newTicket, ticketsPath } from './ticket-pool.ts';

/** Where requests go; without a token it is the bare server. */
export type Target = { port: number; token: string | null };

export type Operation = {
  name: string;
  /** Least share of the bare server's requests/s. */
  aim: number;
  /** True if each connection needs a ticket of its own. */
  perConnection?: true;
  unit: number;
  lists(target: Target, ids: string[]): PreparedRequest[][];
};

/** Pages begin after these shares of the tickets: the last one is still full. */
const pageStarts = [0, 0.2, 0.4, 0.6, 0.8];

/** The most frequent operations that the bare server has too. */
export const ticketOperations: Operation[] = [
  {
    name: 'read of a ticket',
    aim: 0.8,
    unit: 1,
    lists: ({ token }, ids) => [ids.map((id) => request(token, { path: `/${id}` }))],
  },
  {
    name: 'page of 50',
    aim: 0.45,
    unit: 1,
    lists({ token }, ids) {
      const cursors = pageStarts.map((share) => ids[Math.floor(share * ids.length)] as string);
      return [cursors.map((cursor) => request(token, { path: `?cursor=${cursor}` }))];
    },
  },
  {
    name: 'creation',
    aim: 0.4,
    unit: 1,
    lists: ({ token }) => [[request(token, { method: 'POST', path: '', body: newTicket, status: 201 })]],
  },
  {
    name: 'status change',
    aim: 0.3,
    perConnection: true,
    // Finished, then opened again: each request really moves the ticket, and a round leaves it as it was.
    unit: 2,
    lists: ({ token }, ids) =>
      ids.map((id) => [
        request(token, { method: 'PUT', path: `/${id}/${token ? 'finish' : 'finished'}` }),
        request(token, token ? { method: 'POST', path: `/${id}/open` } : { method: 'PUT', path: `/${id}/opened` }),
      ]),
  },
];

export const purchaseOperation: Operation = {
  name: 'creation of a purchase',
  aim: 0.15,
  unit: 1,
  lists: ({ token }, ids) => {
    const body = { kind: 'purchase_order', source_system: 'bench', amount: 1284.5, reference: uniqueNumber };
    return [ids.map((id) => request(token, { method: 'POST', path: `/${id}/purchases`, body, status: 201 }))];
  },
};

type RequestOptions = { method?: string; path: string; body?: object; status?: number };

function request(token: string | null, { path, ...rest }: RequestOptions): PreparedRequest {
  return prepareRequest({ ...rest, path: `${token ? ticketsPath : '/tickets'}${path}`, ...(token ? { token } : {}) });
}
