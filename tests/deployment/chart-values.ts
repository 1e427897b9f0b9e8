import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { names, read } from './manifest-settings.ts';

// biome-ignore lint/suspicious/noExplicitAny: values of many kinds
export type Values = any;

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As Helm puts values over those of the chart: maps are merged, everything else is replaced. */
function merged(base: Values, over: Values): Values {
  if (!isMap(base) || !isMap(over)) return over;
  const added = Object.entries(over).map(([key, value]) => [key, key in base ? merged(base[key], value) : value]);
  return { ...base, ...Object.fromEntries(added) };
}

/** The values of the chart with these over them. */
export const valuesWith = (text: string): Values => merged(parse(read('k8s/chart/values.yaml')), parse(text) ?? {});

export const valuesIn = (file: string): Values => valuesWith(read(`k8s/chart/${file}`));

const validate = new Ajv().compile(JSON.parse(read('k8s/chart/values.schema.json')));

/** What the schema says against values, as Helm says it. */
export const chartFaults = (given: Values) => (validate(given) ? [] : (validate.errors ?? []));

/** The settings that a service is given by these values, by the names of the variables. */
export function settingsGiven(service: Values): string[] {
  const { ports, calls = {}, publicUrls = [], secrets = [], extraSecrets = [], env = {} } = service;
  const files = [...secrets, ...extraSecrets].map((name: string) => `${name}_FILE`);
  return ['NODE_ENV', 'OPS_PORT', ...Object.keys({ ...ports, ...calls, ...env }), ...publicUrls, ...files];
}

/** What pages may name in commands; `manifests.slow.test.ts` compares it with what Helm makes. */
export const deployed = {
  deployment: [...names, 'operations'],
  job: ['migrate'],
  cronjob: ['backup'],
};
