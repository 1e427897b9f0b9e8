import { beginningWith, hasAll, wordsSearched } from '@app/kernel';
import { referenceKeys } from '@app/matching';
import type { Connection } from 'mongoose';
import { ticketCollections } from './ticket-collections.ts';

/** Finds tickets of a client by number, title and references. */
export type TicketSearch = ReturnType<typeof createTicketSearch>;

/** `placeIds`: the tickets are at one of them. */
type SearchPage = { limit: number; placeIds?: readonly string[] | undefined };

/** At most this many tickets with the longest word are read. If more have it, the result is incomplete. */
const maxLookedAt = 1_000;

export function createTicketSearch({ connection }: { connection: Connection }) {
  const { tickets } = ticketCollections(connection);

  async function named(client_id: string, text: string, { limit, ...places }: SearchPage): Promise<string[]> {
    const keys = referenceKeys(text);
    if (keys.length === 0) return [];
    const options = { hint: 'keys', projection: { _id: 1 }, limit };
    const found = await tickets.find({ ...openAt(client_id, places), keys: { $in: [...keys] } }, options).toArray();
    return found.map(({ _id }) => _id);
  }

  async function withWords(client_id: string, text: string, { limit, ...places }: SearchPage): Promise<string[]> {
    const [longest, ...others] = wordsSearched(text);
    if (longest === undefined) return [];
    const filter = { ...openAt(client_id, places), words: beginningWith(longest) };
    // In one batch: a second one would cost a round trip.
    const bounds = { limit: maxLookedAt, batchSize: maxLookedAt };
    const options = { hint: 'words', projection: { words: 1, updated_at: 1 }, ...bounds };
    const found = await tickets.find(filter, options).toArray();
    return found
      .filter(({ words = [] }) => hasAll(words, others))
      .sort((one, other) => other.updated_at.getTime() - one.updated_at.getTime())
      .slice(0, limit)
      .map(({ _id }) => _id);
  }

  return {
    /** Those with the text as their number or as the reference of a quote or purchase document alone. */
    named,
    /** The ids of all tickets at these places, the newest first. */
    async atPlaces(client_id: string, locationIds: readonly string[], limit: number): Promise<string[]> {
      const options = { hint: 'place', projection: { _id: 1 }, limit } as const;
      const found = tickets.find({ client_id, location_ids: { $in: [...locationIds] } }, options).sort({ _id: -1 });
      return (await found.toArray()).map(({ _id }) => _id);
    },
    /**
     * The ids of tickets that are not draft, canceled or removed: first those with the text as their number or as the reference
     * of a quote or purchase document, then those with all its words in number and title, the most recently updated first.
     */
    async find(clientId: string, text: string, page: SearchPage): Promise<string[]> {
      const found = await Promise.all([named(clientId, text, page), withWords(clientId, text, page)]);
      return [...new Set(found.flat())].slice(0, page.limit);
    },
  };
}

function openAt(client_id: string, { placeIds }: Pick<SearchPage, 'placeIds'>) {
  return { client_id, open: true, ...(placeIds ? { location_ids: { $in: [...placeIds] } } : {}) };
}
