import { serviceSettings } from '@app/ops';
import { describeSettings } from '@app/runtime';
import { serviceTable } from '@app/start';
import { parse } from 'yaml';
import { chartFaults, settingsGiven, type Values, valuesIn, valuesWith } from './chart-values.ts';
import { names, read, settingErrors } from './manifest-settings.ts';

/** What docs/deployment.md tells operators to add for settings that the chart does not foresee. */
const [, section = ''] = /^### What the policies do not foresee\n(.*?)^### /ms.exec(read('docs/deployment.md')) ?? [];
const [example = ''] = [...section.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => text);

const settingsOf = (name: (typeof names)[number]) => describeSettings(serviceSettings[name].settingSchemas);
const readersOf = (setting: string) => names.filter((name) => settingsOf(name).some((one) => one.name === setting));

const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, settings = '', pods = ''] = line.split('|');
    return { settings: settings.match(/[A-Z_<>]{4,}/g) ?? [], pods: pods.match(/[a-z]+(-[a-z]+)*/g) ?? [] };
  });

test('the table of settings names the services that read them', () => {
  expect(rows.length).toBeGreaterThan(5);
  for (const { settings, pods } of rows)
    for (const setting of settings)
      expect([setting, pods.filter((pod) => (names as string[]).includes(pod)).sort()]).toEqual([
        setting,
        readersOf(setting).sort(),
      ]);
});

test('it has every setting that may lead to a private address', () => {
  const inside = serviceTable.flatMap(({ addresses = {} }) => Object.keys(addresses));
  const leading = names.flatMap((name) =>
    settingsOf(name).flatMap((one) => (/(?<!^PUBLIC_.*)_(URL|NETWORKS|SERVERS)$/.test(one.name) ? one.name : [])),
  );
  const listed = rows.flatMap(({ settings }) => settings);
  expect([...new Set(leading)].filter((name) => ![...listed, ...inside].includes(name))).toEqual([]);
});

test('the example is valid, and is for the services that read the setting', () => {
  const given = parse(example).services as Record<string, Values>;
  expect(Object.keys(given).sort()).toEqual(readersOf('STORAGE_URL').sort());
  const { services } = valuesWith(example);
  for (const name of readersOf('STORAGE_URL')) {
    expect(settingErrors(name, settingsGiven(services[name]))).toEqual([]);
    expect(settingsGiven(services[name])).toContain('STORAGE_URL_FILE');
  }
  expect(chartFaults(valuesWith(example))).toEqual([]);
});

test('every secret setting is given to its service, or is one of those that `extraSecrets` is for', () => {
  const [, listed = ''] = /`extraSecrets` gives it .*? \((.*?)\)/ms.exec(section) ?? [];
  const { services } = valuesIn('values.yaml');
  const left = names.flatMap((name) => {
    const given = services[name].secrets ?? [];
    return settingsOf(name).flatMap((one) => (one.isSecret && !given.includes(one.name) ? one.name : []));
  });
  expect([...new Set(left)].sort()).toEqual((listed.match(/[A-Z_]{4,}/g) ?? []).sort());
});
