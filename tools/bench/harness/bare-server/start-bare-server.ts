import { freePort } from '@app/infra';
import type { Bench } from '../bench.ts';
import { startServer } from '../meters/processes.ts';

type BareServerOptions = { database: string; companyId: string; filler?: number };

/** Starts the baseline server (`bare-server.ts`) on a database of its own. @returns its port and pid */
export async function startBareServer(
  { processes, root, platform }: Bench,
  { database, companyId, filler = 0 }: BareServerOptions,
): Promise<{ port: number; pid: number }> {
  const port = await freePort();
  const env = {
    ...{ NODE_ENV: 'production', BARE_URL: platform.mongodb, BARE_DATABASE: database },
    ...{ BARE_PORT: String(port), BARE_COMPANY: companyId, BARE_FILLER: String(filler) },
  };
  const program = 'tools/bench/harness/bare-server/bare-server.ts';
  const { pid } = await startServer({ processes, root, program, env, ready: { port, path: '/ready' } });
  return { port, pid };
}
