import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, UsageError } from '@app/start/infra';
import type { Account } from './ledger.ts';
import { sampleInvoices } from './samples.ts';
import { startSandboxProvider } from './start-sandbox-provider.ts';

export const usage = `Usage: npm run demo -- sandbox [port]

Starts the sandbox AP provider on loopback, where the running platform calls it (without one: on port 4020, where the next
will), with one account and its sample invoices.
SANDBOX_API_KEY is its key (default sandbox-key); SANDBOX_WEBHOOK_URL, SANDBOX_WEBHOOK_SECRET and SANDBOX_CLIENT_ID
say where its webhooks go. Where one runs already, as with npm start, it gets the account.
tools/demo/sandbox-provider/README.md describes the API.`;

export async function run(args: string[], { stackDir }: Place): Promise<void> {
  const [port = portOfStack(stackDir)] = args;
  if (!/^\d{1,5}$/.test(port)) throw new UsageError(`'${port}' is no port.`);
  const env = process.env;
  const apiKey = env['SANDBOX_API_KEY'] || 'sandbox-key';
  const account = {
    apiKey,
    clientId: env['SANDBOX_CLIENT_ID'] || null,
    webhookUrl: env['SANDBOX_WEBHOOK_URL'] || null,
    webhookSecret: env['SANDBOX_WEBHOOK_SECRET'] || null,
  };
  if (await joins(`http://127.0.0.1:${port}`, account)) return;
  const sandbox = await startSandboxProvider({ port: Number(port) });
  sandbox.setAccount(account);
  for (const { invoice, document } of sampleInvoices()) sandbox.put(apiKey, invoice, document);
  console.log(
    `The sandbox provider listens on ${sandbox.url}: PROVIDER_SANDBOX_URL of the platform. Its key: ${apiKey}.`,
  );
  const stop = () => void sandbox.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

/** Adds the account and its samples to a sandbox provider that answers there. @returns whether one does */
async function joins(url: string, { apiKey, clientId, webhookUrl, webhookSecret }: Account): Promise<boolean> {
  const isThere = await fetch(`${url}/admin/calls`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isThere) return false;
  const account = { client_id: clientId, webhook_url: webhookUrl, webhook_secret: webhookSecret };
  for (const [path, more] of [['/admin/accounts', account] as const, ['/admin/samples', {}] as const]) {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify({ api_key: apiKey, ...more }) });
    if (!response.ok) throw new Error(`${url}${path} answered ${response.status}`);
  }
  console.log(
    `A sandbox provider listens on ${url} already: it has the account ${apiKey} and its sample invoices now.`,
  );
  return true;
}

/** The port on which the running platform calls it. @throws Error if that is another machine */
function portOfStack(stackDir: string): string {
  const { hostname, port } = new URL(readAddress(join(stackDir, 'stack.json')) ?? 'http://127.0.0.1:4020');
  if (hostname === '127.0.0.1' || hostname === 'localhost') return port;
  throw new Error(`the platform calls its sandbox provider at ${hostname}, which is not here`);
}

function readAddress(stackFile: string): string | null {
  try {
    return (JSON.parse(readFileSync(stackFile, 'utf8')) as { providerSandbox?: string }).providerSandbox ?? null;
  } catch {
    return null;
  }
}
