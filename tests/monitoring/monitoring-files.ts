import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The alerts and dashboards of the chart, which Docker Compose has too. */
export const monitoringFolder = join(import.meta.dirname, '../../k8s/chart/files');

export type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  for?: string;
  labels?: { severity: string };
  annotations?: { summary: string; runbook_url: string };
};
export type RuleGroup = { name: string; interval?: string; rules: Rule[] };

const read = (file: string) => readFileSync(join(monitoringFolder, file), 'utf8');

export const ruleGroups: RuleGroup[] = parse(read('rules.yaml')).groups;

type Panel = { title: string; targets?: { expr: string; exemplar?: boolean }[] };

export const dashboards: { file: string; panels: Panel[] }[] = readdirSync(join(monitoringFolder, 'dashboards')).map(
  (file) => ({ file, panels: JSON.parse(read(`dashboards/${file}`)).panels }),
);
