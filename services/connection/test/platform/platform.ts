import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApprovedPlatform, startApprovedPlatform } from '@app/demo';
import { eventually } from '@app/testing';
import { anAccountant, type Connected, startService } from '../service.ts';

export const secret = 'the-client-secret-never-to-be-seen';

/** The service with an approved platform, which calls back through a host of its own, as through the gateway. */
export async function startWithPlatform(given: Parameters<typeof startService>[0] = {}) {
  const platform = await startApprovedPlatform({ port: 0 });
  const gateway = await startForwarder();
  const addresses = { PROVIDER_AFNOR_URL: platform.flowService, PROVIDER_AFNOR_TOKEN_URL: platform.tokenUrl };
  const service = await startService({ ...given, publicUrl: gateway.url, providers: addresses });
  gateway.forwardTo(service.url);
  let clients = 0;

  /** A company whose connection was polled once, and which has subscribed. */
  async function connected({ organizations, ...more }: { organizations?: string[] } & Record<string, unknown> = {}) {
    clients += 1;
    const owner = anAccountant();
    const clientId = `client-${clients}`;
    platform.setClient({ clientId, clientSecret: secret, ...(organizations ? { organizations } : {}) });
    const body = { provider: 'afnor', oauthClientId: clientId, oauthClientSecret: secret, ...more };
    const answer = await service.call('POST', '/invoice-connections', { as: owner, body });
    if (answer.status !== 201) throw new Error(answer.text);
    const id = String(answer.body['id']);
    const organization = organizations?.[0] ?? clientId;
    const one: OfPlatform = { id, owner, clientId, organization, apiKey: '', webhookSecret: '' };
    if (more['active'] !== false) await polled(one);
    return one;
  }

  const polled = (one: Connected) =>
    eventually(async () => {
      const record = await service.recordOf(one);
      expect(record?.['lastPolledAt']).toBeInstanceOf(Date);
      expect(record).not.toHaveProperty('pollLease');
    });

  return {
    ...service,
    platform,
    callbackUrl: (one: Connected) => `${gateway.url}/webhooks/invoice-providers/afnor/${one.id}`,
    connected,
    fetchedIds: (one: Connected) => service.fetched(one).map(({ external_id }) => external_id),
    async stop() {
      await service.stop();
      await Promise.all([platform.close(), gateway.close()]);
    },
  };
}
export type PlatformService = Awaited<ReturnType<typeof startWithPlatform>>;
export type OfPlatform = Connected & { clientId: string; organization: string };

/** The subscriptions of a client, as the platform lists them. */
export async function subscriptionsOf(platform: ApprovedPlatform, clientId: string) {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
  const token = (await (await fetch(platform.tokenUrl, { method: 'POST', body: form })).json()) as {
    access_token: string;
  };
  const headers = { authorization: `Bearer ${token.access_token}` };
  const answer = await (await fetch(`${platform.flowService}/webhooks`, { headers })).json();
  return (answer as { webhooks: { webhookId: string; callbackUrl: string; flowTypes: string[] }[] }).webhooks;
}

async function startForwarder() {
  let target = '';
  const server = createServer((req, res) => {
    const { method, headers, url } = req;
    const forwarded = request(`${target}${url}`, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    forwarded.on('error', () => res.destroy());
    req.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(url: string) {
      target = url;
    },
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
