import type { ConfiguredProvider, Credentials, InvoiceReader, ProviderClient } from '@app/providers';
import type { SecretBox } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import { type ProviderAccount, sealContext } from './connection.ts';

export type Providers = ReadonlyMap<string, ConfiguredProvider>;

export type ProviderClients = ReturnType<typeof createProviderClients>;

type Deps = { providers: Providers; secrets: SecretBox; reader: InvoiceReader; timeoutMs: number };

const maxClients = 500;

/** Opens the credentials, and passes them to the provider's client alone. */
export function createProviderClients({ providers, secrets, reader, timeoutMs }: Deps) {
  const clients = new LRUCache<string, { version: number; client: ProviderClient }>({ max: maxClients });

  function credentialsOf(
    { id, sealedCredentials: sealed }: ProviderAccount,
    provided: string | null,
  ): Credentials | null {
    if (sealed === null) return null;
    if ('apiKey' in sealed) return { apiKey: secrets.open(sealed.apiKey, sealContext(id, 'apiKey')) };
    const tokenUrl = sealed.tokenUrl ?? provided;
    if (tokenUrl === null) return null;
    const clientSecret = secrets.open(sealed.clientSecret, sealContext(id, 'oauthClientSecret'));
    return { clientId: sealed.clientId, clientSecret, tokenUrl, isFromTenant: sealed.tokenUrl !== null };
  }

  return {
    /**
     * The client of a connection: the same object until the credentials change, so that the client's tokens and caches are of use.
     * @throws Error if the provider is not configured or the connection has no credentials
     */
    of(account: ProviderAccount): { client: ProviderClient; configured: ConfiguredProvider } {
      const { id, client: owner, provider, organizationId, credentialsVersion: version } = account;
      const configured = providers.get(provider);
      const cached = clients.get(id);
      if (configured && cached?.version === version) return { client: cached.client, configured };
      const credentials = configured && credentialsOf(account, configured.tokenUrl);
      if (!configured || !credentials) throw new Error(`connection ${id} cannot be used: no provider or credentials`);
      const { baseUrl, directoryUrl } = configured;
      const options = { baseUrl, directoryUrl, credentials, organizationId, reader, owner, timeoutMs };
      const client = configured.provider.connect(options);
      clients.set(id, { version, client });
      return { client, configured };
    },
  };
}
