import type { Json } from './kustomize.ts';

/** For the External Secrets operator: the Secret of a workload, from `facility-platform/<workload>` of the store. */
export function externalSecret(workload: string, settings: string[]): Json {
  const name = `${workload}-secrets`;
  const data = settings.map((setting) => ({ secretKey: setting, property: setting }));
  return externalSecretOf(name, { key: workload, data });
}

type Source = { key: string; data: { secretKey: string; property: string }[]; template?: Json };

export function externalSecretOf(name: string, { key, data, template }: Source): Json {
  return {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name },
    spec: {
      refreshInterval: '1h',
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'platform' },
      target: { name, creationPolicy: 'Owner', ...(template ? { template } : {}) },
      data: data.map(({ secretKey, property }) => ({
        secretKey,
        remoteRef: { key: `facility-platform/${key}`, property },
      })),
    },
  };
}
