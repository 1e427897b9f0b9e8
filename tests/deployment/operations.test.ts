import { overlays } from '@app/kubernetes';
import { parse } from 'yaml';
import { read } from './manifest-settings.ts';
import { documentsOf, egressOf, type Manifest, named, ofKind, templatesOf } from './rendered-manifests.ts';

/** What is applied first, to a cluster that has nothing but operators. */
const first = ['dev/migration', 'production/migration'];

const portsOf = (egress: Manifest[]) => egress.flatMap(({ ports = [] }) => ports.map(({ port }: Manifest) => port));

test.each(overlays)('%s brings the namespace of all that it has', (overlay) => {
  const documents = documentsOf(overlay);
  const namespaces = ofKind('Namespace', documents).map(({ metadata }) => metadata.name);
  for (const { kind, metadata } of documents.filter((one) => one.kind !== 'Namespace'))
    expect([kind, metadata.name, namespaces]).toEqual([kind, metadata.name, [metadata.namespace]]);
});

test.each(overlays)(
  'every pod of %s may look up names, and everything else is refused unless a policy says so',
  (overlay) => {
    const documents = documentsOf(overlay);
    const pods = templatesOf(documents);
    expect(pods.length).toBeGreaterThan(0);
    for (const { name, labels } of pods)
      expect([name, portsOf(egressOf(labels, documents))]).toEqual([name, expect.arrayContaining([53])]);
    expect(named('NetworkPolicy', 'default', documents).spec).toMatchObject({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
  },
);

test.each(overlays)('what pods of %s need is in it, but for Secrets made by hand', (overlay) => {
  const documents = documentsOf(overlay);
  const made = ofKind('ExternalSecret', documents).map(({ spec }) => spec.target.name);
  for (const { name, pod } of templatesOf(documents)) {
    expect([name, named('ServiceAccount', pod.serviceAccountName, documents)]).toEqual([name, expect.anything()]);
    const secrets = pod.volumes.flatMap(({ secret }: Manifest) => secret?.secretName ?? []);
    if (overlay.startsWith('production')) expect(made).toEqual(expect.arrayContaining(secrets));
  }
});

test.each(first)('%s runs the migration', (overlay) => {
  const { spec } = named('Job', 'migrate', documentsOf(overlay)).spec.template;
  expect(spec.containers[0].args).toEqual(['migrate']);
});

test.each(first)('%s has a pod for commands of operators, which runs only when it is wanted', (overlay) => {
  const { replicas, template } = named('Deployment', 'operations', documentsOf(overlay)).spec;
  expect(replicas).toBe(0);
  expect(template.spec.containers[0].command).toEqual(['sleep', 'infinity']);
  expect(template.spec.containers[0].image).toMatch(/\/operations:/);
});

test.each(['migrate', 'operations'])(
  '%s reaches the data alone, and has the secrets that it has in docker-compose.yml',
  (name) => {
    const documents = documentsOf('production/migration');
    const pod = templatesOf(documents).find((one) => one.name === name);
    expect(portsOf(egressOf(pod?.labels, documents)).sort()).toEqual([53, 53, 27017, 5671, 5672].sort());
    const given = pod?.pod.containers[0].env.flatMap((one: { name: string }) =>
      one.name.endsWith('_FILE') ? one.name : [],
    );
    const compose = parse(read('docker-compose.yml'), { merge: true }).services[name];
    expect(given.sort()).toEqual(Object.keys(compose.environment).sort());
    const { data } = named('ExternalSecret', `${name}-secrets`, documents).spec;
    const mounted = compose.secrets.map((one: string | { target: string }) =>
      typeof one === 'string' ? one : one.target,
    );
    expect(data.map(({ secretKey }: Manifest) => secretKey).sort()).toEqual(mounted.sort());
  },
);
