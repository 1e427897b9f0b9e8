import type { Connection } from './connections.ts';

type Seen = Pick<Connection, 'active' | 'health' | 'lastPolledAt'>;

/** What is known of a connection. The API calls one healthy until a call fails, so also one that nothing was asked of yet. */
export function connectionHealth({ active, health: { reason }, lastPolledAt }: Seen) {
  if (!active) return 'paused';
  if (reason !== null) return reason;
  return lastPolledAt === null ? 'unchecked' : 'healthy';
}
