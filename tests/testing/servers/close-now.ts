import type { Server } from 'node:http';

/** Closes a server of a test with all its connections, whatever is under way. */
export async function closeNow(server: Pick<Server, 'close' | 'closeAllConnections'>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
