import type { Api, Item } from '../companies/demo-api.ts';

/** A ticket of the week that an earlier start made. */
export type ExistingTicket = { id: string; clientId: string; createdAt: Date };

const pages = 20;

/** The tickets of the week that are there, by their reference. It reads the oldest 4,000 tickets: the week is among the first. */
export async function findExistingTickets(
  client: Api,
  references: ReadonlySet<string>,
): Promise<Map<string, ExistingTicket>> {
  const known = new Map<string, ExistingTicket>();
  let cursor: unknown = '';
  for (let read = 0; read < pages && typeof cursor === 'string'; read++) {
    const page = await client.get(`/tickets?limit=200${cursor ? `&cursor=${cursor}` : ''}`);
    for (const ticket of page['tickets'] as Item[]) {
      const reference = (ticket['fields'] as { value: string }[]).find(({ value }) => references.has(value))?.value;
      if (reference === undefined) continue;
      const clientId = (ticket['client'] as { _id: string })._id;
      known.set(reference, {
        id: ticket['_id'] as string,
        clientId,
        createdAt: new Date(ticket['created_at'] as string),
      });
    }
    cursor = page['cursor'];
  }
  return known;
}
