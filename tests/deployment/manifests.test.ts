import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateManifests, overlays, renderedPath, sourcesHash, workloads } from '@app/kubernetes';
import { serviceTable } from '@app/start';
import { parseAllDocuments } from 'yaml';
import { faultsOf, names, read, root } from './described.ts';

// biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
type Manifest = any;

const documentsOf = (overlay: string): Manifest[] =>
  parseAllDocuments(read(renderedPath(overlay))).map((document) => document.toJS());
const all = overlays.flatMap(documentsOf);
const production = documentsOf('production');
const ofKind = (kind: string, documents = production) => documents.filter((one) => one.kind === kind);
const named = (kind: string, name: string, documents = production) =>
  ofKind(kind, documents).find(({ metadata }) => metadata.name === name);
const podsOf = (documents: Manifest[]) =>
  documents
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.template.spec }));

test('the base is what the code says: run `npm run manifests`', () => {
  const committed = (path: string) => (existsSync(join(root, path)) ? read(path) : '');
  const generated = generateManifests();
  expect(Object.fromEntries([...generated.keys()].map((path) => [path, committed(path)]))).toEqual(
    Object.fromEntries(generated),
  );
});

test.each(overlays)('k8s/rendered has what kustomize made of %s as it is now: run `npm run manifests`', (overlay) => {
  expect(read(renderedPath(overlay)).split('\n')[0]).toContain(`sources sha256:${sourcesHash(root)}`);
});

const program = join(__dirname, 'programs/validate-manifests.ts');
const validate = (...files: string[]) =>
  JSON.parse(execFileSync(join(root, 'node_modules/.bin/node'), [program, ...files], { encoding: 'utf8' })) as {
    count: number;
    faults: string[];
  };

test('every document is valid by the schema of its kind', () => {
  const { count, faults } = validate(...overlays.map((overlay) => join(root, renderedPath(overlay))));
  expect(faults).toEqual([]);
  expect(count).toBe(all.length);
  expect(count).toBeGreaterThan(80);
});

test('a document that is not valid is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  const file = join(folder, 'bad.yaml');
  writeFileSync(file, read(renderedPath('dev')).replace('maxUnavailable: 1', 'maxUnavailable: []'));
  expect(validate(file).faults).toEqual([expect.stringMatching(/^PodDisruptionBudget .*maxUnavailable/)]);
  rmSync(folder, { recursive: true });
});

test.each(['dev', 'production'])('%s has every service', (overlay) => {
  expect(
    ofKind('Deployment', documentsOf(overlay))
      .map(({ metadata }) => metadata.name)
      .sort(),
  ).toEqual([...names].sort());
});

test.each(names)('%s is given the settings that it reads, all that it needs, and secrets as files', (name) => {
  for (const overlay of ['dev', 'production']) {
    const { env } = named('Deployment', name, documentsOf(overlay)).spec.template.spec.containers[0];
    expect(
      faultsOf(
        name,
        env.map((one: { name: string }) => one.name),
      ),
    ).toEqual([]);
  }
});

const withSecrets = names.filter((name) => name !== 'console');

test.each(withSecrets)('the Secret of %s has the keys that it may know, and no other', (name) => {
  const data = ['MONGODB_URL', 'AMQP_URL', 'INTERNAL_TOKEN_PUBLIC_KEYS'];
  const keys = serviceTable.find((entry) => entry.name === name)?.keys ?? [];
  const secret = named('ExternalSecret', `${name}-secrets`);
  expect(secret.spec.data.map((one: { secretKey: string }) => one.secretKey).sort()).toEqual(
    [...keys, ...(name === 'gateway' ? [] : data)].sort(),
  );
});

test('the console has no Secret, and needs none', () => {
  expect(
    production.filter(({ kind, metadata }) => kind === 'ExternalSecret' && metadata.name === 'console-secrets'),
  ).toEqual([]);
  expect(named('Deployment', 'console').spec.template.spec.volumes).toEqual([
    { name: 'tmp', emptyDir: expect.anything() },
  ]);
});

test.each(names)('the addresses that %s is given lead to a port of that service', (name) => {
  const { addresses } = workloads.find((one) => one.name === name) ?? { addresses: {} };
  for (const url of Object.values<string>(addresses)) {
    const { hostname, port } = new URL(url);
    expect(named('Service', hostname).spec.ports).toContainEqual(expect.objectContaining({ port: Number(port) }));
  }
});

test('every service that has a database is a user with the rights to it, and migrations have them to all', () => {
  const [mongodb] = parseAllDocuments(read('k8s/components/data/mongodb.yaml'))
    .map((document) => document.toJS() as Manifest)
    .filter(({ kind }) => kind === 'MongoDBCommunity');
  const rolesOf = (user: string): Manifest[] =>
    mongodb.spec.users.find(({ name }: Manifest) => name === user)?.roles ?? [];
  const databases = serviceTable.filter(({ database }) => database).map(({ name }) => name);
  expect(databases.length).toBeGreaterThan(5);
  for (const db of databases) {
    expect(rolesOf(db)).toContainEqual({ name: 'readWrite', db });
    expect(rolesOf('migrate')).toContainEqual({ name: 'dbOwner', db });
  }
});

test('images are ours, of one version, and no other', () => {
  const images = podsOf(all).flatMap(({ pod }) => pod.containers.map(({ image }: { image: string }) => image));
  for (const image of images) expect(image).toMatch(/facility-platform\/[a-z-]+:(dev|\d+\.\d+\.\d+)$/);
  expect(new Set(images.map((image) => /\/([a-z-]+):/.exec(image)?.[1]))).toEqual(new Set([...names, 'operations']));
});

test('no pod is root, writes to its root file system, or may become more than it is', () => {
  expect(podsOf(all).length).toBe(2 * names.length + 2);
  for (const { name, pod } of podsOf(all)) {
    expect([name, pod]).toMatchObject([
      name,
      {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      },
    ]);
    expect(pod).not.toHaveProperty('hostNetwork');
    for (const container of [...pod.containers, ...(pod.initContainers ?? [])])
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  }
});

test('no container is without requests and limits', () => {
  for (const { pod } of podsOf(all))
    for (const { resources } of pod.containers)
      expect(resources).toEqual({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { cpu: expect.any(String), memory: expect.any(String) },
      });
});

test.each(names)('%s has probes, time to stop, a disruption budget, and is spread', (name) => {
  const { spec } = named('Deployment', name).spec.template;
  const [container] = spec.containers;
  expect(container.startupProbe.httpGet.path).toBe('/healthz');
  expect(container.livenessProbe.httpGet.path).toBe('/healthz');
  expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  // DRAIN_DELAY and 20 s (docs/decisions/0107-draining.md).
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(25);
  expect(spec.topologySpreadConstraints).toHaveLength(2);
  expect(named('PodDisruptionBudget', name).spec.selector).toEqual(named('Deployment', name).spec.selector);
});

test.each(names)('%s is scaled by one thing alone, which alone says how many there are', (name) => {
  const scalers = [...ofKind('HorizontalPodAutoscaler'), ...ofKind('ScaledObject')].filter(
    ({ spec }) => spec.scaleTargetRef.name === name,
  );
  expect(scalers).toHaveLength(1);
  expect(named('Deployment', name).spec).not.toHaveProperty('replicas');
});

type Trigger = { type: string; metadata: { queueName?: string; query?: string } };
const triggers = () => ofKind('ScaledObject').flatMap(({ spec }) => spec.triggers as Trigger[]);

test('deliveries that are due scale the dispatcher, and late polls scale connection', () => {
  const queries = ofKind('ScaledObject').flatMap(({ metadata, spec }) =>
    (spec.triggers as Trigger[]).flatMap(({ type, metadata: { query } }) =>
      type === 'prometheus' ? [[metadata.name, query]] : [],
    ),
  );
  expect(Object.fromEntries(queries)).toEqual({
    'webhook-dispatcher': 'max(webhook_deliveries_due)',
    connection: 'max(provider_poll_overdue_seconds)',
  });
});

test('queues that scale a service exist', () => {
  const queues = triggers().flatMap(({ type, metadata }) => (type === 'rabbitmq' ? [metadata.queueName] : []));
  const known = serviceTable.flatMap(({ name, queues: own }) => own.map((queue) => `${name}.${queue}`));
  expect(queues.length).toBeGreaterThan(5);
  for (const queue of queues) expect(known).toContain(queue);
});

describe('networks', () => {
  const policyOf = (name: string, documents = production) => named('NetworkPolicy', name, documents).spec;

  test('nothing comes in and nothing goes out but what a policy of each workload says', () => {
    for (const overlay of ['dev', 'production'])
      expect(policyOf('default', documentsOf(overlay))).toMatchObject({
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      });
    for (const name of names) expect(policyOf(name).policyTypes).toEqual(['Ingress', 'Egress']);
  });

  test('only the dispatcher, connection and identity reach public addresses, and nobody those of clouds and clusters', () => {
    const reaching = names.filter((name) =>
      policyOf(name).egress.some(({ to }: Manifest) => to.some((one: Manifest) => one.ipBlock)),
    );
    expect(reaching.sort()).toEqual(['connection', 'identity', 'webhook-dispatcher']);
    for (const name of reaching) {
      const blocks = policyOf(name).egress.flatMap(({ to }: Manifest) =>
        to.flatMap(({ ipBlock }: Manifest) => ipBlock ?? []),
      );
      expect(blocks.map(({ cidr }: Manifest) => cidr)).toEqual(['0.0.0.0/0', '::/0']);
      for (const kept of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8'])
        expect(blocks[0].except).toContain(kept);
      for (const kept of ['fc00::/7', 'fe80::/10']) expect(blocks[1].except).toContain(kept);
    }
  });

  test.each(names)('%s is reached by those that call it, and calls those that it has addresses of', (name) => {
    const nameOf = (one: Manifest) => one.podSelector?.matchLabels['app.kubernetes.io/name'];
    const callers = policyOf(name).ingress.flatMap(({ from }: Manifest) =>
      from.flatMap((one: Manifest) => nameOf(one) ?? []),
    );
    const called = policyOf(name).egress.flatMap(({ to }: Manifest) =>
      to.flatMap((one: Manifest) => nameOf(one) ?? []),
    );
    const calls = (one: string) => Object.values(serviceTable.find((entry) => entry.name === one)?.addresses ?? {});
    expect(callers.sort()).toEqual(names.filter((one) => calls(one).includes(name)).sort());
    expect(called.sort()).toEqual(calls(name).sort());
  });
});

test('the migration runs before the services, on the data alone', () => {
  const documents = documentsOf('production/migration');
  expect(named('Job', 'migrate', documents).spec.template.spec.containers[0].args).toEqual(['migrate']);
  expect(
    named('NetworkPolicy', 'migrate', documents).spec.egress.flatMap(({ ports }: Manifest) =>
      ports.map(({ port }: Manifest) => port),
    ),
  ).toEqual([27017, 5671, 5672]);
});
