import { brokerUsers, databaseUsers } from '@app/ops';
import { serviceTable } from '@app/start';
import { names } from './manifest-settings.ts';
import { documentsOf, type Manifest, named, ofKind, templatesOf } from './rendered-manifests.ts';

/** MongoDB and RabbitMQ as the chart has them: who may connect, and whom the platform trusts. */
const data = documentsOf('data');
const databases = serviceTable.filter(({ database }) => database).map(({ name }) => name);

test('every service that has a database is a user with the rights to it, as in Docker Compose; migrations have them to all, and root is for operators', () => {
  const [mongodb] = ofKind('MongoDBCommunity', data);
  expect(databases.length).toBeGreaterThan(5);
  expect(databaseUsers.map(({ name }) => name)).toEqual(expect.arrayContaining(databases));
  const users = [...databaseUsers, { name: 'root', roles: [{ role: 'root', db: 'admin' }] }];
  const given = mongodb.spec.users.map(({ name, roles }: Manifest) => [
    name,
    roles.map((one: Manifest) => `${one.name} ${one.db}`).sort(),
  ]);
  expect(given.sort()).toEqual(
    users.map(({ name, roles }) => [name, roles.map(({ role, db }) => `${role} ${db}`).sort()]).sort(),
  );
});

test('every service with a database is a user of RabbitMQ with the rights that it needs, as in Docker Compose, and so are the commands of operators', () => {
  const [cluster] = ofKind('RabbitmqCluster', data);
  const [vhost, ...others] = ofKind('Vhost', data);
  expect(others).toEqual([]);
  expect(vhost.spec).toMatchObject({ deletionPolicy: 'retain' });
  const users = [...databases, 'migrate'].sort();
  const namesOf = (kind: string) =>
    ofKind(kind, data)
      .map(({ metadata }) => metadata.name)
      .sort();
  expect([namesOf('User'), namesOf('Permission')]).toEqual([users, users]);
  expect(namesOf('TopicPermission')).toEqual(databases.toSorted());
  for (const name of users) {
    const { spec } = named('User', name, data);
    expect(spec).toEqual({ importCredentialsSecret: { name: `rabbitmq-${name}` }, ...referenceTo(cluster) });
    const { permissions, topic } = brokerUsers.find((user) => user.name === name) ?? {};
    const common = { vhost: vhost.spec.name, userReference: { name }, ...referenceTo(cluster) };
    expect(named('Permission', name, data).spec).toEqual({ ...common, permissions });
    if (topic) expect(named('TopicPermission', name, data).spec).toEqual({ ...common, permissions: topic });
  }
});

test('a release that is uninstalled leaves the data', () => {
  const kept = data.filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep');
  expect(kept.map(({ kind }) => kind).sort()).toEqual(['MongoDBCommunity', 'RabbitmqCluster']);
});

const referenceTo = ({ metadata }: Manifest) => ({ rabbitmqClusterReference: { name: metadata.name } });

test('a release of them has nothing of the platform, and that of the platform nothing of them', () => {
  const ofData = ['MongoDBCommunity', 'RabbitmqCluster', 'Vhost', 'User', 'Permission', 'TopicPermission'];
  const kinds = new Set(data.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([...ofData, 'NetworkPolicy', 'PodDisruptionBudget'].sort());
  expect(documentsOf('production').filter(({ kind }) => ofData.includes(kind))).toEqual([]);
});

describe('three members of each', () => {
  const [mongodb] = ofKind('MongoDBCommunity', data);
  const [rabbitmq] = ofKind('RabbitmqCluster', data);
  const affinities = {
    mongodb: mongodb.spec.statefulSet.spec.template.spec.affinity,
    rabbitmq: rabbitmq.spec.affinity,
  };

  test.each(Object.entries(affinities))('%s has each on a node of its own, moved one at a time', (name, affinity) => {
    const [{ topologyKey, labelSelector }] = affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    expect(topologyKey).toBe('kubernetes.io/hostname');
    const budget = named('PodDisruptionBudget', name, data).spec;
    expect(budget).toEqual({ maxUnavailable: 1, selector: labelSelector });
    expect(named('NetworkPolicy', name, data).spec.podSelector).toEqual(labelSelector);
  });

  test('nothing is reached but what a policy opens, and the platform reaches what it connects to', () => {
    expect(named('NetworkPolicy', 'default', data).spec).toEqual({ podSelector: {}, policyTypes: ['Ingress'] });
    const openTo = (name: string) =>
      named('NetworkPolicy', name, data).spec.ingress.flatMap(({ from, ports }: Manifest) =>
        JSON.stringify(from).includes('"facility-platform"') ? ports.map(({ port }: Manifest) => port) : [],
      );
    expect([openTo('mongodb'), openTo('rabbitmq')]).toEqual([[27017], [5671]]);
  });
});

describe('an authority of our own', () => {
  const documents = documentsOf('production');
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
