import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workloads } from '@app/kubernetes';
import { serviceSettings } from '@app/ops';
import { describeSettings } from '@app/runtime';
import { serviceTable } from '@app/start';
import { parse } from 'yaml';
import { names, read, root, settingErrors } from './manifest-settings.ts';
import { documentsOf, type Manifest } from './rendered-manifests.ts';

/** What docs/deployment.md tells operators to add for settings that the manifests do not foresee. */
const [, section = ''] = /^### What the policies do not foresee\n(.*?)^### /ms.exec(read('docs/deployment.md')) ?? [];
const [policy = '', patches = ''] = [...section.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => text);

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

test('the policy is valid, and opens the way of the services that it is for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'policy-'));
  writeFileSync(join(folder, 'policy.yaml'), policy);
  const program = join(__dirname, 'programs/validate-manifests.ts');
  const said = execFileSync(join(root, 'node_modules/.bin/node'), [program, join(folder, 'policy.yaml')], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect(JSON.parse(said)).toEqual({ count: 1, faults: [] });
  const [{ key, values }] = parse(policy).spec.podSelector.matchExpressions;
  expect(values.sort()).toEqual(readersOf('STORAGE_URL').sort());
  for (const name of values) expect(deployment(name).spec.template.metadata.labels[key]).toBe(name);
});

test('the patches give a secret setting to the services that read it, as a file', () => {
  const [secrets, deployments] = parse(patches).patches as Manifest[];
  const production = documentsOf('production');
  // Kustomize compares whole names.
  const targets = ({ target }: Manifest): string[] =>
    production
      .filter(({ kind, metadata }) => kind === target.kind && new RegExp(`^(?:${target.name})$`).test(metadata.name))
      .map(({ metadata }) => metadata.name);
  expect(targets(secrets).sort()).toEqual(
    readersOf('STORAGE_URL')
      .map((name) => `${name}-secrets`)
      .sort(),
  );
  expect(targets(deployments).sort()).toEqual(readersOf('STORAGE_URL').sort());
  const [{ value: property }] = parse(secrets.patch);
  const [{ value: variable }] = parse(deployments.patch);
  for (const name of readersOf('STORAGE_URL')) {
    const [{ env, volumeMounts }] = deployment(name).spec.template.spec.containers;
    expect(settingErrors(name, [...env.map((one: { name: string }) => one.name), variable.name])).toEqual([]);
    const mounted = volumeMounts.map(({ mountPath }: Manifest) => `${mountPath}/${property.secretKey}`);
    expect(mounted).toContain(variable.value);
  }
});

test('every secret setting is given to its service, or is one of those that the patches are for', () => {
  const [, listed = ''] = /^A secret setting that is not among those of .*? \((.*?)\)/ms.exec(section) ?? [];
  const left = names.flatMap((name) => {
    const given = workloads.find((one) => one.name === name)?.secrets ?? [];
    return settingsOf(name).flatMap((one) => (one.isSecret && !given.includes(one.name) ? one.name : []));
  });
  expect([...new Set(left)].sort()).toEqual((listed.match(/[A-Z_]{4,}/g) ?? []).sort());
});

function deployment(name: string): Manifest {
  return documentsOf('production').find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
}
