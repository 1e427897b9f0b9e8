import type { ConfiguredProvider, InvoiceReader, ProviderClient } from '@app/providers';
import type { SecretBox } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import { type ProviderAccount, sealContext } from './connection.ts';

export type Providers = ReadonlyMap<string, ConfiguredProvider>;

export type ProviderClients = {
  /**
   * The client of a connection: the same object until the key changes, so that the client's own caches are of use.
   * @throws Error if the provider is not configured or the connection has no key
   */
  of(account: ProviderAccount): { client: ProviderClient; configured: ConfiguredProvider };
};

type Deps = { providers: Providers; secrets: SecretBox; reader: InvoiceReader; timeoutMs: number };

const maxClients = 500;

/** Opens the API keys, and passes them to the provider's client alone. */
export function createProviderClients({ providers, secrets, reader, timeoutMs }: Deps): ProviderClients {
  const clients = new LRUCache<string, { version: number; client: ProviderClient }>({ max: maxClients });

  return {
    of({ id, client: owner, provider, sealedApiKey, credentialsVersion: version }) {
      const configured = providers.get(provider);
      if (!configured || sealedApiKey === null) throw new Error(`connection ${id} cannot be used: no provider or key`);
      const cached = clients.get(id);
      if (cached?.version === version) return { client: cached.client, configured };
      const apiKey = secrets.open(sealedApiKey, sealContext(id, 'apiKey'));
      const client = configured.provider.connect({ baseUrl: configured.baseUrl, apiKey, reader, owner, timeoutMs });
      clients.set(id, { version, client });
      return { client, configured };
    },
  };
}
