import { documentSchema } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';

export type TicketNumbers = ReturnType<typeof createTicketNumbers>;

/**
 * Numbers are reserved in blocks, so that creations of one client do not each write, and wait for, the same document. What is
 * left of a block when the process stops is a gap.
 */
const blockSize = 20;
const maxClients = 10_000;

const counterSchema = documentSchema<{ _id: string; last: number }>('ticket_numbers');

type Block = { next: number; end: number };

export function createTicketNumbers({ connection }: { connection: Connection }) {
  const model = connection.model('TicketNumber', counterSchema);
  const blocks = new LRUCache<string, Promise<Block>>({ max: maxClients });

  async function reserveBlock(clientId: string): Promise<Block> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const counter = await model.findOneAndUpdate({ _id: clientId }, { $inc: { last: blockSize } }, options).lean();
    const end = counter?.last ?? blockSize;
    return { next: end - blockSize + 1, end };
  }

  function renew(clientId: string): void {
    const block = reserveBlock(clientId);
    blocks.set(clientId, block);
    block.catch(() => blocks.delete(clientId));
  }

  return {
    /** The next readable number of a client: `T-000042`. Gaps may occur, repetitions do not. */
    async next(clientId: string): Promise<string> {
      for (;;) {
        const current = blocks.get(clientId);
        const block = await current;
        if (block && block.next <= block.end) return `T-${String(block.next++).padStart(6, '0')}`;
        // The first caller that finds the block used up reserves a new one; the others wait for the same.
        if (blocks.get(clientId) === current) renew(clientId);
      }
    },
  };
}
