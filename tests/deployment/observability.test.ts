import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dashboards } from '../monitoring/monitoring-files.ts';
import { names, read, root } from './manifest-settings.ts';
import { composeIn, type Manifest } from './rendered-manifests.ts';

const folder = 'tools/start/observability';
const observability = composeIn('docker-compose.observability.yml');
const base = composeIn('docker-compose.yml');
const prometheus = composeIn(`${folder}/prometheus.yml`);

const isOurs = (name: string) => names.some((one) => one === name);
const added = Object.entries<Manifest>(observability.services);
/** The platform's own services only get more settings. */
const traced = added.filter(([name]) => isOurs(name));
const containers = added.filter(([name]) => !isOurs(name)).map(([, container]) => container);

test('every service is scraped, by the name that the alerts use, at the port where it answers', () => {
  const scraped: string[] = prometheus.scrape_configs.map(({ job_name, dns_sd_configs: [found] }: Manifest) => [
    job_name,
    found.names,
    String(found.port),
  ]);
  const wanted = names.map((name) => [name, [name], base.services[name].environment.OPS_PORT]);
  expect(scraped.toSorted()).toEqual(wanted.toSorted());
});

test('what is mounted is there, or a volume that is declared', () => {
  for (const mounted of containers.flatMap(({ volumes }) => volumes)) {
    const [source = ''] = mounted.split(':');
    if (source.startsWith('./')) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
    else expect(Object.keys(observability.volumes)).toContain(source);
  }
  expect(read('docker-compose.observability.yml')).toContain(`/etc/prometheus/${prometheus.rule_files[0]}:ro`);
});

test('its containers are reached from this machine alone, by networks that there are, in exact versions', () => {
  for (const { image, networks, ports } of containers) {
    expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const network of networks) expect(Object.keys(base.networks)).toContain(network);
  }
});

test('every service sends its traces to the collector, and that to Tempo, where Grafana looks for them', () => {
  const collector = composeIn(`${folder}/otel-collector.yml`);
  const tempo = composeIn(`${folder}/tempo.yml`);
  const url = (host: string, { otlp }: Manifest) => `http://${host}:${otlp.protocols.http.endpoint.split(':').at(-1)}`;
  const wanted = url('otel-collector', collector.receivers);
  expect(
    traced.map(([name, { environment }]) => [name, environment['OTEL_EXPORTER_OTLP_ENDPOINT']]).toSorted(),
  ).toEqual(names.map((name) => [name, wanted]).toSorted());
  expect(collector.exporters.otlphttp.endpoint).toBe(url('tempo', tempo.distributor.receivers));
  const { datasources } = composeIn(`${folder}/grafana-source.yml`);
  expect(datasources.find(({ uid }: Manifest) => uid === 'tempo').url).toBe(
    `http://tempo:${tempo.server.http_listen_port}`,
  );
  expect(datasources[0].jsonData.exemplarTraceIdDestinations[0].datasourceUid).toBe('tempo');
});

test('Grafana loads the dashboards from where they are', () => {
  const { providers } = composeIn(`${folder}/grafana-dashboards.yml`);
  const dashboardFolder = 'k8s/chart/files/dashboards';
  expect(observability.services.grafana.volumes).toContain(`./${dashboardFolder}:${providers[0].options.path}:ro`);
  for (const { file } of dashboards) expect(existsSync(join(root, dashboardFolder, file))).toBe(true);
});
