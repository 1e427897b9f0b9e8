import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dashboards } from '@app/monitoring';
import { parse } from 'yaml';
import { names, read, root } from './manifest-settings.ts';

/** `ports` can be reached from outside the containers. */
type Container = {
  image: string;
  volumes: string[];
  networks: string[];
  ports?: string[];
  environment?: Record<string, string>;
};

const observability = parse(read('docker-compose.observability.yml'), { merge: true }) as {
  services: Record<string, Container>;
  volumes: Record<string, null>;
};
const base = parse(read('docker-compose.yml'), { merge: true }) as {
  networks: Record<string, object>;
  services: Record<string, { environment?: { OPS_PORT?: string } }>;
};
const added = Object.entries(observability.services);
/** The platform's own services only get more settings. */
const traced = added.flatMap(([name, { environment }]) =>
  names.some((one) => one === name) ? [{ name, environment }] : [],
);
const containers = added.flatMap(([name, one]) => (names.some((known) => known === name) ? [] : [one]));
const collector = parse(read('tools/monitoring/compose/otel-collector.yml')) as {
  receivers: { otlp: { protocols: { http: { endpoint: string } } } };
  exporters: { otlphttp: { endpoint: string } };
};
const tempo = parse(read('tools/monitoring/compose/tempo.yml')) as {
  server: { http_listen_port: number };
  distributor: { receivers: { otlp: { protocols: { http: { endpoint: string } } } } };
};
const prometheus = parse(read('tools/monitoring/compose/prometheus.yml')) as {
  rule_files: string[];
  scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[];
};

test('every service is scraped, by the name that the alerts use, at the port where it answers', () => {
  const scraped = prometheus.scrape_configs.map(({ job_name, dns_sd_configs: [found] }) => [
    job_name,
    found?.names,
    String(found?.port),
  ]);
  const wanted = names.map((name) => [name, [name], base.services[name]?.environment?.OPS_PORT]);
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
  const url = (host: string, endpoint: string) => `http://${host}:${endpoint.split(':').at(-1)}`;
  const wanted = url('otel-collector', collector.receivers.otlp.protocols.http.endpoint);
  expect(
    traced.map(({ name, environment }) => [name, environment?.['OTEL_EXPORTER_OTLP_ENDPOINT']]).toSorted(),
  ).toEqual(names.map((name) => [name, wanted]).toSorted());
  expect(collector.exporters.otlphttp.endpoint).toBe(
    url('tempo', tempo.distributor.receivers.otlp.protocols.http.endpoint),
  );
  const sources = parse(read('tools/monitoring/compose/grafana-source.yml')) as {
    datasources: {
      uid: string;
      url: string;
      jsonData?: { exemplarTraceIdDestinations?: { datasourceUid: string }[] };
    }[];
  };
  const found = sources.datasources.find(({ uid }) => uid === 'tempo');
  expect(found?.url).toBe(`http://tempo:${tempo.server.http_listen_port}`);
  expect(sources.datasources[0]?.jsonData?.exemplarTraceIdDestinations?.[0]?.datasourceUid).toBe('tempo');
});

test('Grafana loads the dashboards from where they are', () => {
  const { providers } = parse(read('tools/monitoring/compose/grafana-dashboards.yml')) as {
    providers: { options: { path: string } }[];
  };
  const mount = `./k8s/components/monitoring/dashboards:${providers[0]?.options.path}:ro`;
  expect(observability.services['grafana']?.volumes).toContain(mount);
  for (const { file } of dashboards)
    expect(existsSync(join(root, 'k8s/components/monitoring/dashboards', file))).toBe(true);
});
