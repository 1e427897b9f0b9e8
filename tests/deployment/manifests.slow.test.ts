import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformQueues } from '@app/contracts';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import { serviceTable } from '@app/start';
import { deployed } from './chart-values.ts';
import { names, read, root, secretsFor, settingErrors } from './manifest-settings.ts';
import {
  documentsOf,
  helm,
  ofKind as kindIn,
  type Manifest,
  named as namedIn,
  type Release,
  releases,
  renderedText,
  templatesOf,
} from './rendered-manifests.ts';

const everyRelease = Object.keys(releases) as Release[];
const platforms: Release[] = ['dev', 'production'];
const all = platforms.flatMap((release) => documentsOf(release));
const production = documentsOf('production');
const ofKind = (kind: string, documents = production) => kindIn(kind, documents);
const named = (kind: string, name: string, documents = production) => namedIn(kind, name, documents);

test.each(everyRelease)('Helm finds nothing to say of %s', (release) => {
  const said = helm(['lint', '--strict', 'k8s/chart', ...releases[release]]);
  expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
});

test('nothing is installed without the addresses that its users see', () => {
  expect(() => helm(['template', 'k8s/chart'])).toThrow(/publicUrls[.]PUBLIC_\w+_URL is required/);
});

const program = join(__dirname, 'programs/validate-manifests.ts');
function validate(...texts: string[]): { count: number; faults: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  const files = texts.map((text, index) => {
    const file = join(folder, `${index}.yaml`);
    writeFileSync(file, text);
    return file;
  });
  const said = execFileSync(join(root, 'node_modules/.bin/node'), [program, ...files], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return JSON.parse(said);
}

test('every document is valid by the schema of its kind', () => {
  const { count, faults } = validate(...platforms.map((release) => renderedText(release)));
  expect(faults).toEqual([]);
  expect(count).toBe(all.length);
  expect(count).toBeGreaterThan(80);
});

test('a document that is not valid is found', () => {
  const text = renderedText('dev').replace('maxUnavailable: 1\n', 'maxUnavailable: []\n');
  expect(validate(text).faults).toEqual([expect.stringMatching(/^PodDisruptionBudget .*maxUnavailable/)]);
});

test.each(platforms)('%s has every service', (release) => {
  expect(
    ofKind('Deployment', documentsOf(release))
      .map(({ metadata }) => metadata.name)
      .sort(),
  ).toEqual([...names, 'operations'].sort());
});

test.each(names)('%s is given the settings that it reads, all that it needs, and secrets as files', (name) => {
  for (const release of platforms) {
    const { env } = named('Deployment', name, documentsOf(release)).spec.template.spec.containers[0];
    expect(
      settingErrors(
        name,
        env.map((one: { name: string }) => one.name),
      ),
    ).toEqual([]);
  }
});

test.each(names)('the Secret of %s has the keys that it may know, and no other', (name) => {
  const keys = named('ExternalSecret', `${name}-secrets`)?.spec.data.map(({ secretKey }: Manifest) => secretKey) ?? [];
  expect(keys.sort()).toEqual(secretsFor(name));
  // The console needs none.
  const { volumes } = named('Deployment', name).spec.template.spec;
  expect(volumes.some(({ secret }: Manifest) => secret)).toBe(keys.length > 0);
});

test.each(names)('the addresses that %s is given lead to a port of that service', (name) => {
  const { addresses = {} } = serviceTable.find((entry) => entry.name === name) ?? {};
  const { env } = named('Deployment', name).spec.template.spec.containers[0];
  for (const [setting, called] of Object.entries(addresses)) {
    const { hostname, port } = new URL(env.find((one: Manifest) => one.name === setting).value);
    expect(hostname).toBe(called);
    expect(named('Service', hostname).spec.ports).toContainEqual(expect.objectContaining({ port: Number(port) }));
  }
});

test('the pages of operators may name what is deployed', () => {
  const namesOf = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
  const found = { deployment: namesOf('Deployment'), job: namesOf('Job'), cronjob: namesOf('CronJob') };
  for (const [kind, expected] of Object.entries(deployed))
    expect(found[kind as keyof typeof found].sort()).toEqual(expected.toSorted());
});

test('what an operator adds by values is in the manifests, and valid', () => {
  const values = `
image: { tag: 9.9.9 }
imagePullSecrets: [registry]
network: { dnsPort: 5353 }
services:
  ticket:
    env: { LOG_LEVEL: debug }
    extraSecrets: [STORAGE_URL]
    extraEgress: [{ to: [{ ipBlock: { cidr: 10.20.0.0/24 } }], ports: [{ protocol: TCP, port: 443 }] }]
    replicas: { min: 3, max: 4 }
`;
  expect(validate(renderedText('production', values)).faults).toEqual([]);
  const documents = documentsOf('production', values);
  const { spec } = named('Deployment', 'ticket', documents).spec.template;
  const [{ image, env }] = spec.containers;
  expect([image, spec.imagePullSecrets]).toEqual([expect.stringMatching(/ticket:9[.]9[.]9$/), [{ name: 'registry' }]]);
  expect(env).toContainEqual({ name: 'LOG_LEVEL', value: 'debug' });
  expect(env).toContainEqual({ name: 'STORAGE_URL_FILE', value: '/run/secrets/platform/STORAGE_URL' });
  const { data } = named('ExternalSecret', 'ticket-secrets', documents).spec;
  expect(data.map(({ secretKey }: Manifest) => secretKey)).toContain('STORAGE_URL');
  expect(JSON.stringify(named('NetworkPolicy', 'ticket', documents).spec.egress)).toContain('"10.20.0.0/24"');
  expect(JSON.stringify(named('NetworkPolicy', 'default', documents).spec.egress)).toContain('5353');
  expect(named('HorizontalPodAutoscaler', 'ticket', documents).spec).toMatchObject({ minReplicas: 3, maxReplicas: 4 });
});

test('images are ours, of one version, and no other', () => {
  const images = templatesOf(all).flatMap(({ pod }) => pod.containers.map(({ image }: { image: string }) => image));
  const { version } = JSON.parse(read('package.json')) as { version: string };
  for (const image of images)
    expect(image).toMatch(new RegExp(`^(registry[.]example[.]com/)?facility-platform/[a-z-]+:${version}$`));
  expect(new Set(images.map((image) => /\/([a-z-]+):/.exec(image)?.[1]))).toEqual(new Set([...names, 'operations']));
});

test('no pod is root, writes to its root file system, or may become more than it is', () => {
  expect(templatesOf(all).length).toBe(2 * names.length + 4);
  for (const { name, pod } of templatesOf(all)) {
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
  for (const { pod } of templatesOf(all))
    for (const { resources } of pod.containers)
      expect(resources).toEqual({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { cpu: expect.any(String), memory: expect.any(String) },
      });
});

test('a container asks for more memory than was ever seen of its service', () => {
  const [, ...seen] =
    /resident memory at most +\| gateway (\d+) MB, identity (\d+), ticket (\d+), all others below (\d+)/.exec(
      read('docs/reliability.md'),
    ) ?? [];
  const [gateway, identity, ticket, others = NaN] = seen.map(Number);
  const dispatcher = Number(/at most (\d+) MB resident/.exec(read('docs/performance.md'))?.[1]);
  const most: Partial<Record<string, number>> = { gateway, identity, ticket, 'webhook-dispatcher': dispatcher };
  for (const name of names) {
    const { requests, limits } = named('Deployment', name).spec.template.spec.containers[0].resources;
    const mib = Number(/^(\d+)Mi$/.exec(requests.memory)?.[1]);
    expect([name, mib]).toEqual([name, expect.any(Number)]);
    expect(mib).toBeGreaterThanOrEqual(1.2 * (most[name] ?? others));
    const [, size, unit] = /^(\d+)(Mi|Gi)$/.exec(limits.memory) ?? [];
    expect(Number(size) * (unit === 'Gi' ? 1024 : 1)).toBeGreaterThanOrEqual(1.5 * mib);
  }
});

test.each(names)('%s has probes, time to stop, a disruption budget, and is spread', (name) => {
  const { spec } = named('Deployment', name).spec.template;
  const [container] = spec.containers;
  expect(container.startupProbe.httpGet.path).toBe('/healthz');
  expect(container.livenessProbe.httpGet.path).toBe('/healthz');
  expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  // DRAIN_DELAY and 20 s (docs/decisions/draining.md).
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

const triggers = (type: string) =>
  ofKind('ScaledObject').flatMap(({ metadata, spec }) =>
    spec.triggers
      .filter((one: Manifest) => one.type === type)
      .map((one: Manifest) => ({ name: metadata.name, ...one.metadata })),
  );

test('deliveries that are due scale the dispatcher, late polls scale connection, queues that exist the others', () => {
  expect(Object.fromEntries(triggers('prometheus').map(({ name, query }) => [name, query]))).toEqual({
    'webhook-dispatcher': 'max(webhook_deliveries_due)',
    connection: 'max(provider_poll_overdue_seconds)',
  });
  const queues = triggers('rabbitmq').map(({ queueName }) => queueName);
  const known = Object.entries(platformQueues).flatMap(([name, own]) =>
    Object.keys(own).map((queue) => `${name}.${queue}`),
  );
  expect(queues.length).toBeGreaterThan(5);
  expect(known).toEqual(expect.arrayContaining(queues));
});

function isWithin(address: string, cidrs: string[]): boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

describe('networks', () => {
  const policyOf = (name: string) => named('NetworkPolicy', name).spec;
  const blocksOf = (name: string): Manifest[] =>
    policyOf(name).egress.flatMap(({ to }: Manifest) => to.flatMap(({ ipBlock }: Manifest) => ipBlock ?? []));
  const reaches = (name: string, address: string) =>
    blocksOf(name).some(({ cidr, except }) => isWithin(address, [cidr]) && !isWithin(address, except));

  test('a policy of each workload says what comes in and what goes out', () => {
    for (const name of names) expect(policyOf(name).policyTypes).toEqual(['Ingress', 'Egress']);
  });

  test('only the dispatcher, connection and identity reach public addresses', () => {
    const reaching = names.filter((name) => blocksOf(name).length > 0);
    expect(reaching.sort()).toEqual(['connection', 'identity', 'webhook-dispatcher']);
    for (const name of reaching)
      for (const address of ['8.8.8.8', '52.95.110.1', '2a00:1450:4001::1'])
        expect([name, address, reaches(name, address)]).toEqual([name, address, true]);
  });

  // Of private networks, of the metadata of clouds, of the special-purpose registries.
  test.each([
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '127.0.0.1',
    '100.64.0.1',
    '192.0.0.170',
    '198.18.0.1',
    '168.63.129.16',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    'fd00::1',
    'fe80::1',
    '64:ff9b::a01:203',
    '::ffff:10.1.2.3',
    '2002:a01:203::1',
    '2001::1',
    '2001:db8::1',
  ])('nobody reaches %s by a policy for public addresses', (address) => {
    expect(createAddressPolicy().refuses(address)).toBe(true);
    expect(names.filter((name) => reaches(name, address))).toEqual([]);
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
