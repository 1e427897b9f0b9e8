import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProcesses, freePort } from '@app/start/infra';
import axios from 'axios';
import { until } from '../faults/waiting.ts';
import { ruleGroups } from '../monitoring/monitoring-files.ts';
import { findPrometheusProgram } from '../monitoring/prometheus-programs.ts';
import { quickRules } from './quick-rules.ts';

/** Longer than the 2 s after which a service gives up a value that it reads from its database. */
const scrapeEvery = '3s';

/** Ports of `/metrics` by job. */
export type Targets = Record<string, number[]>;

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

/**
 * A real Prometheus with the rules of production, made quicker. @throws Error if there is none, or
 * it does not start
 */
export async function startPrometheus(dir: string, targets: Targets) {
  const program = findPrometheusProgram('prometheus');
  if (program === null) throw new Error('there is no prometheus here, and no apt-get to fetch it');
  const folder = join(dir, 'prometheus');
  mkdirSync(folder);
  const targetFile = join(folder, 'targets.json');
  const setTargets = (wanted: Targets) => {
    const groups = Object.entries(wanted).map(([job, ports]) => ({
      targets: ports.map((port) => `127.0.0.1:${port}`),
      labels: { job },
    }));
    // In one step: Prometheus reads it whenever it changes.
    writeFileSync(`${targetFile}.new`, JSON.stringify(groups));
    renameSync(`${targetFile}.new`, targetFile);
  };
  setTargets(targets);
  // JSON is YAML.
  writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ groups: quickRules(ruleGroups) }));
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    JSON.stringify({
      global: { scrape_interval: scrapeEvery, scrape_timeout: scrapeEvery, evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [
        { job_name: 'platform', file_sd_configs: [{ files: ['targets.json'], refresh_interval: '5s' }] },
      ],
    }),
  );
  const port = await freePort();
  const processes = createProcesses();
  processes.start({
    program,
    args: [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: process.env,
    cwd: folder,
    rank: 1,
    graceMs: 5_000,
    output: { file: join(dir, 'logs', 'prometheus.log') },
  });
  const http = axios.create({ baseURL: `http://127.0.0.1:${port}` });
  type Sample = { metric: Record<string, string>; value: [number, string] };
  const samples = async (query: string): Promise<Sample[]> =>
    (await http.get('/api/v1/query', { params: { query } })).data.data.result;
  const isReady = () =>
    http.get('/-/ready').then(
      () => true,
      () => false,
    );
  await until(isReady, 120_000, 'Prometheus does not become ready');
  return {
    /** The alerts that fire now, as `name severity`. */
    async firing(): Promise<Set<string>> {
      // A cluster has no console (tests/faults/cluster).
      const found = await samples('ALERTS{alertstate="firing",job!="console"}');
      return new Set(found.map(({ metric: { alertname, severity } }) => `${alertname} ${severity}`));
    },
    /** The values of an expression. */
    query: async (expr: string): Promise<number[]> =>
      (await samples(expr)).map(({ value: [, value] }) => Number(value)),
    setTargets,
    stop: (): Promise<void> => processes.close(),
  };
}
