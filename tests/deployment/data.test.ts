import { brokerUsers, databaseUsers } from '@app/ops';
import { serviceTable } from '@app/start';
import { names } from './manifest-settings.ts';
import { documentsOf, type Manifest, manifestsIn, named, ofKind, templatesOf } from './rendered-manifests.ts';

/** MongoDB and RabbitMQ as k8s/components/data has them: who may connect, and whom the platform trusts. */
const databases = serviceTable.filter(({ database }) => database).map(({ name }) => name);

test('every service that has a database is a user with the rights to it, as in Docker Compose; migrations have them to all, and root is for operators', () => {
  const [mongodb] = ofKind('MongoDBCommunity', manifestsIn('k8s/components/data/mongodb.yaml'));
  expect(databases.length).toBeGreaterThan(5);
  expect(databaseUsers.map(({ name }) => name)).toEqual(expect.arrayContaining(databases));
  const users = [...databaseUsers, { name: 'root', roles: [{ role: 'root', db: 'admin' }] }];
  expect(mongodb.spec.users.map(({ name, roles }: Manifest) => ({ name, roles }))).toEqual(
    users.map(({ name, roles }) => ({ name, roles: roles.map(({ role, db }) => ({ name: role, db })) })),
  );
});

test('every service with a database is a user of RabbitMQ with the rights that it needs, as in Docker Compose, and so are the commands of operators', () => {
  const documents = manifestsIn('k8s/components/data/rabbitmq-users.yaml');
  const [cluster] = manifestsIn('k8s/components/data/rabbitmq.yaml');
  const [vhost, ...others] = ofKind('Vhost', documents);
  expect(others).toEqual([]);
  expect(vhost.spec).toMatchObject({ deletionPolicy: 'retain' });
  const users = [...databases, 'migrate'].sort();
  const namesOf = (kind: string) =>
    ofKind(kind, documents)
      .map(({ metadata }) => metadata.name)
      .sort();
  expect([namesOf('User'), namesOf('Permission')]).toEqual([users, users]);
  expect(namesOf('TopicPermission')).toEqual(databases.toSorted());
  for (const name of users) {
    const { spec } = named('User', name, documents);
    expect(spec).toEqual({ importCredentialsSecret: { name: `rabbitmq-${name}` }, ...referenceTo(cluster) });
    const { permissions, topic } = brokerUsers.find((user) => user.name === name) ?? {};
    const common = { vhost: vhost.spec.name, userReference: { name }, ...referenceTo(cluster) };
    expect(named('Permission', name, documents).spec).toEqual({ ...common, permissions });
    if (topic) expect(named('TopicPermission', name, documents).spec).toEqual({ ...common, permissions: topic });
  }
  for (const { metadata } of documents) expect(metadata.namespace).toBe(cluster.metadata.namespace);
});

const referenceTo = ({ metadata }: Manifest) => ({ rabbitmqClusterReference: { name: metadata.name } });

test('k8s/components/data brings its namespace, and has all of its files', () => {
  const [component] = manifestsIn('k8s/components/data/kustomization.yaml');
  expect(component.resources.sort()).toEqual([
    'availability.yaml',
    'mongodb.yaml',
    'namespace.yaml',
    'network-policies.yaml',
    'rabbitmq-users.yaml',
    'rabbitmq.yaml',
  ]);
  expect(manifestsIn('k8s/components/data/namespace.yaml')).toEqual([expect.objectContaining({ kind: 'Namespace' })]);
});

describe('three members of each', () => {
  const [mongodb] = manifestsIn('k8s/components/data/mongodb.yaml');
  const [rabbitmq] = manifestsIn('k8s/components/data/rabbitmq.yaml');
  const availability = manifestsIn('k8s/components/data/availability.yaml');
  const policies = manifestsIn('k8s/components/data/network-policies.yaml');
  const affinities = {
    mongodb: mongodb.spec.statefulSet.spec.template.spec.affinity,
    rabbitmq: rabbitmq.spec.affinity,
  };

  test.each(Object.entries(affinities))('%s has each on a node of its own, moved one at a time', (name, affinity) => {
    const [{ topologyKey, labelSelector }] = affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    expect(topologyKey).toBe('kubernetes.io/hostname');
    const budget = named('PodDisruptionBudget', name, availability).spec;
    expect(budget).toEqual({ maxUnavailable: 1, selector: labelSelector });
    expect(named('NetworkPolicy', name, policies).spec.podSelector).toEqual(labelSelector);
  });

  test('nothing is reached but what a policy opens, and the platform reaches what it connects to', () => {
    expect(named('NetworkPolicy', 'default', policies).spec).toEqual({ podSelector: {}, policyTypes: ['Ingress'] });
    const openTo = (name: string) =>
      named('NetworkPolicy', name, policies).spec.ingress.flatMap(({ from, ports }: Manifest) =>
        JSON.stringify(from).includes('"facility-platform"') ? ports.map(({ port }: Manifest) => port) : [],
      );
    expect([openTo('mongodb'), openTo('rabbitmq')]).toEqual([[27017], [5671]]);
  });
});

describe('an authority of our own', () => {
  const documents = ['production', 'production/migration'].flatMap(documentsOf);
  const connecting = [...names.filter((name) => name !== 'console'), 'migrate', 'operations'];

  test.each(connecting)('%s trusts it', (name) => {
    const pod = templatesOf(documents).find((one) => one.name === name)?.pod;
    const [{ env, volumeMounts }] = pod.containers;
    const { value } = env.find((one: { name: string }) => one.name === 'NODE_EXTRA_CA_CERTS') ?? {};
    const mount = volumeMounts.find(({ mountPath }: Manifest) => value?.startsWith(`${mountPath}/`));
    const volume = pod.volumes.find((one: { name: string }) => one.name === mount?.name);
    expect(`${mount.mountPath}/${volume?.secret.items[0].path}`).toBe(value);
    expect(secretKeys(volume.secret.secretName)).toContain(volume.secret.items[0].key);
  });

  test('KEDA trusts it, and speaks TLS', () => {
    const authentications = ofKind('TriggerAuthentication', documents);
    expect(authentications.length).toBeGreaterThan(2);
    for (const { spec } of authentications) {
      expect(spec.secretTargetRef.map(({ parameter }: Manifest) => parameter)).toEqual(['host', 'ca', 'tls']);
      for (const { name, key } of spec.secretTargetRef) expect(secretKeys(name)).toContain(key);
    }
    expect(named('ExternalSecret', 'authority', documents).spec.target.template).toEqual({
      mergePolicy: 'Merge',
      data: { tls: 'enable' },
    });
  });

  test('the console, which connects to nothing, is not given it', () => {
    expect(JSON.stringify(named('Deployment', 'console', documents))).not.toContain('authority');
  });

  function secretKeys(name: string): string[] {
    const made = ofKind('ExternalSecret', documents).find(({ spec }) => spec.target.name === name);
    const { data, target } = made?.spec ?? { data: [], target: {} };
    return [...data.map(({ secretKey }: Manifest) => secretKey), ...Object.keys(target.template?.data ?? {})];
  }
});
