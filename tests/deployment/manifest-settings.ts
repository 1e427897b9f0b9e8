import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceSettings } from '@app/ops';
import { describeSettings, isNamedBy, type SettingDescription } from '@app/runtime';
import { serviceTable } from '@app/start';

export const root = join(__dirname, '../..');
export const read = (path: string) => readFileSync(join(root, path), 'utf8');
export const names = Object.keys(serviceSettings) as ServiceName[];

/** The keys and addresses that a service may know, as secrets. */
export function secretsFor(name: ServiceName): string[] {
  const { keys = [], database } = serviceTable.find((entry) => entry.name === name) ?? {};
  const data = database ? ['MONGODB_URL', 'AMQP_URL', 'INTERNAL_TOKEN_PUBLIC_KEYS'] : [];
  const mail = name === 'identity' ? ['SMTP_URL'] : [];
  return [...keys, ...mail, ...data].sort();
}

/** What Node.js itself reads. */
const ofNode = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

/** What is wrong with the settings that a manifest gives to a service: what nobody reads, what is missing, what is shown. */
export function settingErrors(service: ServiceName, given: string[]): string[] {
  const described = describeSettings(serviceSettings[service].settingSchemas);
  const settingOf = (variable: string): SettingDescription | undefined => {
    const own = (name: string) => described.find((one) => isNamedBy(one.name, name));
    return own(variable) ?? (variable.endsWith('_FILE') ? own(variable.slice(0, -'_FILE'.length)) : undefined);
  };
  const unread = given.filter((variable) => !ofNode.includes(variable) && !settingOf(variable));
  const missing = described.filter(
    ({ name, isRequired }) => isRequired && !given.includes(name) && !given.includes(`${name}_FILE`),
  );
  const shown = given.filter((variable) => settingOf(variable)?.isSecret && !variable.endsWith('_FILE'));
  return [
    ...unread.map((name) => `${service} does not read ${name}`),
    ...missing.map(({ name }) => `${service} needs ${name}`),
    ...shown.map((name) => `${name} of ${service} is a secret: give ${name}_FILE`),
  ];
}
