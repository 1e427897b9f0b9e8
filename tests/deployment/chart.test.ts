import { platformPublishers, platformQueues } from '@app/contracts';
import { serviceSettings } from '@app/ops';
import { describeSettings } from '@app/runtime';
import { publicNetworks } from '@app/runtime/ssrf-guard';
import { serviceTable } from '@app/start';
import { parse } from 'yaml';
import { images } from '../../tools/start/infra/versions.ts';
import { chartFaults, settingsGiven, valuesIn, valuesWith } from './chart-values.ts';
import { names, read, secretsFor, settingErrors } from './manifest-settings.ts';

/** The chart's values, without Helm: that they are what the code says. What Helm makes of them is in `manifests.slow.test.ts`. */
const values = valuesIn('values.yaml');
const files = ['values.yaml', 'values-dev.yaml', 'values-production.yaml'];

test.each(files)('%s is valid by the schema', (file) => {
  expect(chartFaults(valuesIn(file))).toEqual([]);
});

test.each([
  ['a value that there is not', 'monitoring: { enable: true }'],
  ['a value of a service that there is not', 'services: { ticket: { replica: 3 } }'],
  ['an address without a scheme', 'publicUrls: { PUBLIC_TS_API_URL: ts.example.com }'],
  ['a variable that is no text', 'services: { gateway: { env: { TRUSTED_PROXIES: 1 } } }'],
])('%s is refused', (_what, text) => {
  expect(chartFaults(valuesWith(text))).toHaveLength(1);
});

test('the chart has the version of this release, which its images are tagged with', () => {
  const { version, appVersion } = parse(read('k8s/chart/Chart.yaml'));
  const release = JSON.parse(read('package.json')).version;
  expect([version, appVersion, values.image.tag]).toEqual([release, release, '']);
});

test('MongoDB and RabbitMQ are of the versions of Docker Compose', () => {
  const { data, backup } = values;
  expect([`mongo:${data.mongodb.version}`, backup.image]).toEqual([images.mongodb, images.mongodb]);
  expect(data.rabbitmq.image).toBe(images.rabbitmq);
});

test('every service is there', () => {
  expect(Object.keys(values.services)).toEqual(names);
});

const withNames = <T>(entries: T[], nameOf: (entry: T) => string) => new Map(entries.map((one) => [nameOf(one), one]));
const table = withNames(serviceTable, ({ name }) => name);

describe.each(names)('%s', (name) => {
  const service = values.services[name];
  const entry = table.get(name);
  const settings = describeSettings(serviceSettings[name].settingSchemas).map((one) => one.name);

  test.each(files)('is given the settings that it reads, all that it needs, and secrets as files by %s', (file) => {
    expect(settingErrors(name, settingsGiven(valuesIn(file).services[name]))).toEqual([]);
    expect(service.publicUrls ?? []).toEqual(settings.filter((one) => /^PUBLIC_\w+_URL$/.test(one)));
  });

  test('has the secrets that it may know, and no other', () => {
    expect((service.secrets ?? []).toSorted()).toEqual(secretsFor(name));
  });

  test('has the ports, the calls and the database that it has', () => {
    const { ports = {}, addresses = {}, database } = entry ?? {};
    expect(Object.keys({ ...service.ports, OPS_PORT: 9000 })).toEqual(Object.keys(ports));
    expect([service.calls ?? {}, service.database ?? false]).toEqual([addresses, database]);
    expect(service.files ?? false).toBe(settings.includes('STORAGE_URL'));
  });

  test('has its queues and the types that it publishes', () => {
    const queues = (platformQueues as Record<string, object>)[name] ?? {};
    expect(service.queues ?? []).toEqual(Object.keys(queues));
    const types = (platformPublishers[name] ?? []).map(({ type }) => type);
    expect(entry?.database ? [...values.publishedByAll, ...service.publishes] : []).toEqual(types);
  });
});

test('public networks are those that addresses of others may be in', () => {
  expect(values.network.public).toEqual(publicNetworks);
});
