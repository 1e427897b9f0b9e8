import { startSandboxProvider } from '../../sandbox-provider/start-sandbox-provider.ts';
import { invoiceIdPrefix } from '../plan/plan-invoices.ts';
import { startReceivers } from './receivers.ts';

/** What the demo company calls and is called by, and what is no part of the platform. */
export type ExternalSystems = {
  providerSandbox: string;
  receivers: { url: string };
  providerIsReady(): void;
  close(): Promise<void>;
};

/** The account of the demo company at the sandbox provider. Like the demo password: for one's own machine alone. */
export const providerAccount = { apiKey: 'demo-week-account', webhookSecret: 'demo-week-webhooks-of-the-sandbox' };

type Options = {
  /** Where the platform calls the sandbox provider. */
  providerSandbox: string;
  /** Where the receivers of webhooks listen. */
  receiverPort: number;
  /** The folder of the authority whose certificates the platform trusts. */
  authorityDir: string;
};

const here = ['127.0.0.1', 'localhost'];

/**
 * Starts the sandbox provider, unless one answers there, and the receivers of webhooks. They run as long as the platform: it polls the
 * provider, and goes on trying to deliver. @throws Error if a port is taken
 */
export async function startExternalSystems({
  providerSandbox,
  receiverPort: port,
  authorityDir,
}: Options): Promise<ExternalSystems> {
  const { hostname, port: providerPort } = new URL(providerSandbox);
  const isOurs = here.includes(hostname) && !(await answers(providerSandbox));
  const provider = isOurs ? await startSandboxProvider({ port: Number(providerPort) }) : null;
  const { apiKey, webhookSecret } = providerAccount;
  // Before the platform polls: a key that is refused makes its connection unhealthy.
  provider?.setAccount({ apiKey, webhookSecret });
  // It holds everything in memory: until it is filled again it must not answer that an invoice does
  // not exist.
  provider?.fail({ kind: 'status', status: 503, on: `/invoices/${invoiceIdPrefix}` });
  const receivers = await startReceivers({ authorityDir, port });
  return {
    providerSandbox,
    receivers,
    providerIsReady: () => provider?.heal(),
    async close() {
      receivers.close();
      await provider?.close();
    },
  };
}

function answers(address: string): Promise<boolean> {
  return fetch(`${address}/admin/calls`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
