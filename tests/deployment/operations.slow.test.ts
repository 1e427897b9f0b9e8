import { spawnSync } from 'node:child_process';
import { images } from '../../tools/start/infra/versions.ts';
import { names, read } from './manifest-settings.ts';
import {
  composeIn,
  documentsOf,
  egressOf,
  type Manifest,
  named,
  ofKind,
  type Release,
  templatesOf,
} from './rendered-manifests.ts';

const platforms: Release[] = ['dev', 'production'];

const portsOf = (egress: Manifest[]) => egress.flatMap(({ ports = [] }) => ports.map(({ port }: Manifest) => port));

test.each<Release>(['dev', 'production', 'data'])('all of %s is in the namespace of its release', (release) => {
  for (const { kind, metadata } of documentsOf(release))
    expect([kind, metadata.name, metadata.namespace]).toEqual([kind, metadata.name, undefined]);
});

test.each(platforms)(
  'every pod of %s may look up names, and everything else is refused unless a policy says so',
  (release) => {
    const documents = documentsOf(release);
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

test.each(platforms)('what pods of %s need is in it, but for Secrets made by hand', (release) => {
  const documents = documentsOf(release);
  const made = ofKind('ExternalSecret', documents).map(({ spec }) => spec.target.name);
  for (const { name, pod } of templatesOf(documents)) {
    expect([name, named('ServiceAccount', pod.serviceAccountName, documents)]).toEqual([name, expect.anything()]);
    const secrets = pod.volumes.flatMap(({ secret }: Manifest) => secret?.secretName ?? []);
    if (release === 'production') expect(made).toEqual(expect.arrayContaining(secrets));
  }
});

const hooksOf = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook'] ?? null;
const weightOf = ({ metadata }: Manifest) => Number(metadata.annotations?.['helm.sh/hook-weight'] ?? 0);

test.each(platforms)(
  '%s runs the migration before the services are there or changed, and not for a rollback',
  (release) => {
    const documents = documentsOf(release);
    const migrate = named('Job', 'migrate', documents);
    expect(hooksOf(migrate)).toBe('pre-install,pre-upgrade');
    const { spec } = migrate.spec.template;
    expect(spec.containers[0].args).toEqual(['migrate']);
  },
);

test.each(platforms)('%s has a pod for commands of operators, which runs only when it is wanted', (release) => {
  const { replicas, template } = named('Deployment', 'operations', documentsOf(release)).spec;
  expect(replicas).toBe(0);
  expect(template.spec.containers[0].command).toEqual(['sleep', 'infinity']);
  expect(template.spec.containers[0].image).toMatch(/\/operations:/);
});

test.each(['migrate', 'operations'])(
  '%s reaches the data alone, and has the secrets that it has in docker-compose.yml',
  (name) => {
    const documents = documentsOf('production');
    const pod = templatesOf(documents).find((one) => one.name === name);
    const reached = new Set(portsOf(egressOf(pod?.labels, documents)));
    // Every pod may reach the collector of traces.
    expect(reached).toEqual(new Set([53, 27017, 5671, 5672, 4318]));
    const given = pod?.pod.containers[0].env.flatMap((one: { name: string }) =>
      one.name.endsWith('_FILE') ? one.name : [],
    );
    const compose = composeIn('docker-compose.yml').services[name];
    expect(given.sort()).toEqual(Object.keys(compose.environment).sort());
    const { data } = named('ExternalSecret', `${name}-secrets`, documents).spec;
    const mounted = compose.secrets.map((one: string | { target: string }) =>
      typeof one === 'string' ? one : one.target,
    );
    expect(data.map(({ secretKey }: Manifest) => secretKey).sort()).toEqual(mounted.sort());
  },
);

test.each(platforms)(
  'what the migration of %s needs is there before it, and stays while it is made anew',
  (release) => {
    const documents = documentsOf(release);
    const { serviceAccountName, volumes } = named('Job', 'migrate', documents).spec.template.spec;
    const secrets = volumes.flatMap(({ secret }: Manifest) => secret?.secretName ?? []);
    const made = ofKind('ExternalSecret', documents).filter(({ spec }) => secrets.includes(spec.target.name));
    expect(made).toHaveLength(release === 'production' ? 2 : 0);
    for (const { spec } of made) expect(spec.target.creationPolicy).toBe('Orphan');
    const needed = [
      named('ServiceAccount', serviceAccountName, documents),
      named('NetworkPolicy', 'migrate', documents),
      ...made,
    ];
    for (const one of needed) expect([hooksOf(one), weightOf(one)]).toEqual(['pre-install,pre-upgrade', -1]);
    // Its own policy lets it look up names: that of the namespace comes after it.
    expect(portsOf(named('NetworkPolicy', 'migrate', documents).spec.egress)).toContain(53);
  },
);

/** What `docs/backup.md` has done to a Job of the backups. */
const page = read('docs/backup.md');
const recipes = [...page.matchAll(/create job restore --from=cronjob\/backup .*?jq '(.*?)'/gs)].map(
  ([, recipe]) => recipe,
);
const hasJq = spawnSync('jq', ['--version']).status === 0;
if (!hasJq) console.warn('The recipes of restores on Kubernetes are not tested: there is no jq here.');

(hasJq ? test : test.skip)('on Kubernetes a Job of the same pod restores one database, or everything as root', () => {
  const backup = named('CronJob', 'backup', documentsOf('production')).spec.jobTemplate;
  const restores = recipes.map((recipe) => {
    const { stdout } = spawnSync('jq', [recipe as string], { input: JSON.stringify(backup), encoding: 'utf8' });
    const pod = JSON.parse(stdout).spec.template.spec;
    const { secret } = pod.volumes.find(({ name }: { name: string }) => name === 'secrets');
    return { args: pod.containers[0].args, secret: secret.secretName };
  });
  const file = expect.stringMatching(/^\d{4}-.*\.archive\.gz$/);
  expect(restores).toEqual([
    { args: ['restore', file, 'ticket'], secret: 'backup-secrets' },
    { args: ['restore', file], secret: 'restore-secrets' },
  ]);
  expect(page).toContain('create secret generic restore-secrets --from-file=MONGODB_URL=');
});

test('Kubernetes backs up with the script of Compose, in the image of MongoDB, and nothing else in the cluster is reached', () => {
  const documents = documentsOf('production');
  const { spec, metadata } = named('CronJob', 'backup', documents).spec.jobTemplate.spec.template;
  expect(spec.containers[0].image).toBe(images.mongodb);
  const script = spec.volumes.find(({ name }: { name: string }) => name === 'script').configMap.name;
  expect(named('ConfigMap', script, documents).data['backup.sh']).toBe(read('k8s/chart/files/backup.sh'));
  const ports = portsOf(egressOf(metadata.labels, documents));
  expect(new Set(ports)).toEqual(new Set([27017, 53]));
  expect(names).not.toContain(metadata.labels['app.kubernetes.io/name']);
});
