import { startApprovedPlatform } from '../../approved-platform/start-approved-platform.ts';
import { startSandboxProvider } from '../../sandbox-provider/start-sandbox-provider.ts';
import { invoiceIdPrefix } from '../plan/plan-invoices.ts';
import { startReceivers } from './receivers.ts';

/** What the demo company calls and is called by, and what is no part of the platform. */
export type ExternalSystems = Awaited<ReturnType<typeof startExternalSystems>>;

/** The account of the demo company at the sandbox provider. Like the demo password: for one's own machine alone. */
export const providerAccount = { apiKey: 'demo-week-account', webhookSecret: 'demo-week-webhooks-of-the-sandbox' };

/** The same at the approved platform. */
export const platformAccount = { clientId: 'grand-bazar', clientSecret: 'demo-week-client' };

type Options = {
  /** Where the platform calls the sandbox provider. */
  providerSandbox: string;
  /** Where it calls the flow service of the approved platform; null if nowhere. */
  approvedPlatform: string | null;
  /** Where the receivers of webhooks listen. */
  receiverPort: number;
  /** The folder of the authority whose certificates the platform trusts. */
  authorityDir: string;
};

const here = ['127.0.0.1', 'localhost'];

/**
 * Starts the sandbox provider and the approved platform, unless one answers there, and the receivers of webhooks. They run as long as
 * the platform: it polls the providers, and goes on trying to deliver. @throws Error if a port is taken
 */
export async function startExternalSystems({
  providerSandbox,
  approvedPlatform,
  receiverPort: port,
  authorityDir,
}: Options) {
  const providerPort = await freePort(providerSandbox, '/admin/calls');
  const provider = providerPort === null ? null : await startSandboxProvider({ port: providerPort });
  const { apiKey, webhookSecret } = providerAccount;
  // Before the platform polls: a key that is refused makes its connection unhealthy.
  provider?.setAccount({ apiKey, webhookSecret });
  // It holds everything in memory: until it is filled again it must not answer that an invoice does
  // not exist.
  provider?.fail({ kind: 'status', status: 503, on: `/invoices/${invoiceIdPrefix}` });
  const platformPort = approvedPlatform === null ? null : await freePort(approvedPlatform, '/admin/received');
  const platform = platformPort === null ? null : await startApprovedPlatform({ port: platformPort });
  platform?.setClient(platformAccount);
  const receivers = await startReceivers({ authorityDir, port });
  return {
    providerSandbox,
    /** Whether the approved platform is ours, with the account of the demo company. */
    hasApprovedPlatform: platform !== null,
    receivers,
    providerIsReady: (): void => provider?.heal(),
    async close(): Promise<void> {
      await receivers.close();
      await provider?.close();
      await platform?.close();
    },
  };
}

/** The port of an address on this machine where nothing answers; null of any other address. */
async function freePort(address: string, path: string): Promise<number | null> {
  const { hostname, port, origin } = new URL(address);
  const isTaken = () =>
    fetch(origin + path, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  return here.includes(hostname) && !(await isTaken()) ? Number(port) : null;
}
