import { sampleInvoices } from './samples.ts';
import { startSandboxProvider } from './start-sandbox-provider.ts';

const usage = `Usage: npm run sandbox -- [port]

Starts the sandbox AP provider on loopback (default port 8090) with one account and its sample invoices.
SANDBOX_API_KEY is its key (default sandbox-key); SANDBOX_WEBHOOK_URL, SANDBOX_WEBHOOK_SECRET and SANDBOX_CLIENT_ID
say where its webhooks go. tools/sandbox-provider/README.md describes the API.`;

async function main(): Promise<void> {
  const [port = '8090'] = process.argv.slice(2);
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
  console.log(`The sandbox provider listens on ${sandbox.url}: PROVIDER_SANDBOX_URL of the platform.`);
  const stop = () => void sandbox.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
