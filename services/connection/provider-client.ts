import type { InvoiceReader, KnownProvider, ProviderClient } from '@app/providers';
import type { SecretBox } from '@app/runtime';
import { type Account, sealContext } from './connections/connection.ts';

export type Providers = ReadonlyMap<string, KnownProvider>;

export type ProviderClients = {
  /** The client of a connection; the same one as long as its key is, so that what it caches serves. */
  of(account: Account): { client: ProviderClient; known: KnownProvider };
};

type Deps = { providers: Providers; secrets: SecretBox; reader: InvoiceReader; timeoutMs: number };

const remembered = 500;

/** Where a sealed key is opened: it goes from here into the provider's client, and nowhere else. */
export function createProviderClients({ providers, secrets, reader, timeoutMs }: Deps): ProviderClients {
  /** Oldest use first. */
  const clients = new Map<string, { version: number; client: ProviderClient }>();

  return {
    of(account) {
      const { id, provider, sealedApiKey, credentialsVersion: version } = account;
      const known = providers.get(provider);
      if (!known || sealedApiKey === null) throw new Error(`connection ${id} cannot be used: no provider or key`);
      const kept = clients.get(id);
      const client = kept?.version === version ? kept.client : connect(known, { ...account, sealedApiKey });
      clients.delete(id);
      clients.set(id, { version, client });
      if (clients.size > remembered) clients.delete(clients.keys().next().value as string);
      return { client, known };
    },
  };

  type Keyed = Pick<Account, 'id' | 'client'> & { sealedApiKey: string };
  function connect({ provider, baseUrl }: KnownProvider, { id, client, sealedApiKey }: Keyed): ProviderClient {
    const apiKey = secrets.open(sealedApiKey, sealContext(id, 'apiKey'));
    return provider.connect({ baseUrl, apiKey, reader, owner: client, timeoutMs });
  }
}
