import { describeSettings, isNamedBy } from '@app/runtime';
import { serviceSettings } from './service-settings.ts';

/** What docker-compose.yml and docker-compose.observability.yml replace in themselves. */
export const composeVariables = [
  ...['IMAGE_PREFIX', 'VERSION', 'REVISION', 'ENV_FILE', 'SECRETS_DIR', 'BACKUP_FOLDER'],
  ...['PUBLISH_ADDRESS', 'TICKET_API_PORTS', 'TS_API_PORTS', 'DOWNLOAD_PORTS'],
];
const ofOthers = [...composeVariables, 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

const described = Object.values(serviceSettings).flatMap(({ settingSchemas }) => describeSettings(settingSchemas));

/** What is wrong with names of settings in a file that every service is given. */
export function nameErrors(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (ofOthers.includes(name) || name.startsWith('COMPOSE_')) return [];
    const setting = name.replace(/_FILE$/, '');
    const found = described.find((one) => isNamedBy(one.name, name) || isNamedBy(one.name, setting));
    if (!found) return [`${name} is no setting: nobody reads it`];
    return found.isSecret && name !== `${setting}_FILE`
      ? [`${name} is a secret, and every service would get it: put it into the file ${name} of the secrets`]
      : [];
  });
}
