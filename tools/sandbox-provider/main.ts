import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sampleInvoices } from './samples.ts';
import { startSandboxProvider } from './start-sandbox-provider.ts';

const usage = `Usage: npm run sandbox -- [port]

Starts the sandbox AP provider on loopback, where the running platform calls it (without one: on port 4020, where the next
will), with one account and its sample invoices.
SANDBOX_API_KEY is its key (default sandbox-key); SANDBOX_WEBHOOK_URL, SANDBOX_WEBHOOK_SECRET and SANDBOX_CLIENT_ID
say where its webhooks go. tools/sandbox-provider/README.md describes the API.`;

async function main(): Promise<void> {
  const [port = portOfStack()] = process.argv.slice(2);
  if (!/^\d{1,5}$/.test(port)) throw new Error(usage);
  const env = process.env;
  const apiKey = env['SANDBOX_API_KEY'] || 'sandbox-key';
  const sandbox = await startSandboxProvider({ port: Number(port) });
  sandbox.setAccount({
    apiKey,
    clientId: env['SANDBOX_CLIENT_ID'] || null,
    webhookUrl: env['SANDBOX_WEBHOOK_URL'] || null,
    webhookSecret: env['SANDBOX_WEBHOOK_SECRET'] || null,
  });
  for (const { invoice, document } of sampleInvoices()) sandbox.put(apiKey, invoice, document);
  console.log(
    `The sandbox provider listens on ${sandbox.url}: PROVIDER_SANDBOX_URL of the platform. Its key: ${apiKey}.`,
  );
  const stop = () => void sandbox.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

/** The port on which the running platform calls it. @throws Error if that is another machine */
function portOfStack(): string {
  const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));
  const file = join(process.env['STACK_DIR'] || join(root, '.stack'), 'stack.json');
  const { hostname, port } = new URL(readAddress(file) ?? 'http://127.0.0.1:4020');
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

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
