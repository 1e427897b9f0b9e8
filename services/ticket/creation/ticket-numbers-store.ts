import { type Connection, Schema } from 'mongoose';

export type TicketNumbers = {
  /** The next readable number of a client: `T-000042`. Gaps may occur, repetitions do not. */
  next(clientId: string): Promise<string>;
};

/**
 * Numbers are taken in blocks, so that creations of one client neither wait on one document nor write it each time;
 * what a process has left over when it stops is a gap.
 */
const blockSize = 20;
const clientsInMemory = 10_000;

const counterSchema = new Schema<{ _id: string; last: number }>(
  { _id: { type: String, required: true }, last: { type: Number, required: true } },
  { versionKey: false, collection: 'ticket_numbers' },
);

type Block = { next: number; end: number };

export function createTicketNumbers({ connection }: { connection: Connection }): TicketNumbers {
  const model = connection.model('TicketNumber', counterSchema);
  const blocks = new Map<string, Promise<Block>>();

  async function take(clientId: string): Promise<Block> {
    const counter = await model
      .findOneAndUpdate({ _id: clientId }, { $inc: { last: blockSize } }, { upsert: true, returnDocument: 'after' })
      .lean();
    const end = counter?.last ?? blockSize;
    return { next: end - blockSize + 1, end };
  }

  return {
    async next(clientId) {
      for (;;) {
        const held = blocks.get(clientId);
        const block = held ? await held : null;
        if (block && block.next <= block.end) return `T-${String(block.next++).padStart(6, '0')}`;
        // The first that finds the block used up takes a new one; the others wait for the same.
        if (blocks.get(clientId) === held) renew(clientId);
      }
    },
  };

  function renew(clientId: string): void {
    if (blocks.size >= clientsInMemory) blocks.delete(blocks.keys().next().value as string);
    const block = take(clientId);
    blocks.set(clientId, block);
    block.catch(() => blocks.delete(clientId));
  }
}
