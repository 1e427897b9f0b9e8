import type { MongoClient } from 'mongodb';
import { type Account, bearer, postJson } from '../harness/accounts.ts';
import type { Platform } from '../harness/bench.ts';
import { inBatches } from '../harness/in-batches.ts';
import { portOf } from '../harness/servers.ts';

export const ticketsPath = '/api/v3.0/tickets';

/** What is sent to create a ticket: what a person writes, and nothing that names another thing. */
export const newTicket = {
  title: 'Cold room too warm',
  description: 'The cold room of the fresh food aisle has shown 9 °C since this morning; the door closes as it should.',
  priority: 'high' as const,
  price_threshold: 500.5,
};

/** Creates tickets of this company straight at the service. @returns their ids in ascending order */
export async function makeTickets(platform: Platform, account: Account, howMany: number): Promise<string[]> {
  const url = `http://127.0.0.1:${portOf(platform, 'ticket')}${ticketsPath}`;
  const ids: string[] = [];
  await inBatches(howMany, { batchSize: 1, atOnce: 16 }, async () => {
    const made = await postJson(url, newTicket, bearer(account.internalToken));
    ids.push(String(made['ticket_id']));
  });
  return ids.sort();
}

/** Copies the company's tickets and all indexes to another database. */
export async function copyTickets(client: MongoClient, target: string, companyId: string): Promise<void> {
  const source = client.db('ticket').collection('tickets');
  await client.db(target).dropDatabase();
  const own = { $match: { 'views.company_id': companyId } };
  await source.aggregate([own, { $unset: 'outbox' }, { $out: { db: target, coll: 'tickets' } }]).toArray();
  const indexes = await source.listIndexes().toArray();
  const wanted = indexes.filter(({ name }) => name !== '_id_');
  const copies = client.db(target).collection('tickets');
  await copies.createIndexes(wanted.map(({ v: _, ...index }) => index as never));
}

/** How much longer the platform's answer of a ticket is than the stored document as JSON. */
export async function fillerOf(platform: Platform, account: Account, ticket: { _id: string }): Promise<number> {
  const url = `http://127.0.0.1:${portOf(platform, 'ticket')}${ticketsPath}/${ticket._id}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${account.internalToken}` } });
  const answered = (await response.text()).length;
  return Math.max(0, answered - JSON.stringify({ ...ticket, filler: '' }).length);
}
