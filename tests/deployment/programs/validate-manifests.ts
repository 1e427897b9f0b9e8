import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/**
 * `node validate-manifests.ts <file> …`: validates each document by the schema of its kind, and prints what is wrong as JSON. A program,
 * because Jest would compile the schemas, which are large.
 */
const packages: Record<string, string> = {
  'keda.sh': '@kubernetes-models/keda/',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/',
  'external-secrets.io': '@kubernetes-models/external-secrets/',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api/',
};

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } };
type Kind = new (manifest: Manifest) => { validate(): void };

async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind, metadata } = manifest;
  const group = apiVersion.split('/')[0] as string;
  const kinds = (await import(`${packages[group] ?? 'kubernetes-models/'}${apiVersion}`)) as Record<string, Kind>;
  const Known = kinds[kind];
  if (!Known) return [`${apiVersion} has no ${kind}`];
  try {
    new Known(manifest).validate();
    return [];
  } catch (error) {
    return [`${kind} ${metadata.name}: ${(error as Error).message}`];
  }
}

const faults: string[] = [];
let count = 0;
for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const manifest = document.toJS() as Manifest | null;
    // A comment alone.
    if (manifest === null) continue;
    count += 1;
    faults.push(...(await faultsOf(manifest)));
  }
}
console.log(JSON.stringify({ count, faults }));
