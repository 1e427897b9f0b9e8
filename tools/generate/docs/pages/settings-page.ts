import { serviceSettings } from '@app/ops';
import { describeSettings, type SettingDescription } from '@app/runtime';
import { heading } from '../markdown.ts';

type Row = SettingDescription & { services: string[] };

const intro = `Environment variables; those in bold are required. A setting that is missing or wrong stops the start with a message that names it. An empty value is a
value, never the default. \`<NAME>_FILE\` names a file to read a setting from. Durations are written \`500ms\`, \`10s\`, \`5m\`, \`2h\`, \`1d\`.
\`npm run ops -- settings check\` says what production lacks; \`npm start\` and \`npm run ops -- settings secrets <folder>\` make the keys.
`;

const node = `
## Of Node.js and the C library

\`NODE_EXTRA_CA_CERTS\` names a file of certificates that are trusted besides the public ones. The images set \`NODE_COMPILE_CACHE\`,
\`MALLOC_ARENA_MAX\`, \`MALLOC_MMAP_THRESHOLD_\` and arguments of Node.js ([why](decisions/memory-at-rest.md)); \`NODE_OPTIONS\` is yours.
`;

/** Every setting, from the schemas by which the services read them. */
export function settingsPage(): string {
  const rows = allRows().map((row) => {
    const name = row.isRequired ? `**\`${row.name}\`**` : `\`${row.name}\``;
    const facts = [escaped(row.unit), defaultOf(row), row.isSecret ? 'secret' : ''].filter((fact) => fact !== '');
    return `- ${name}, ${readersOf(row)}: ${escaped(row.meaning)} (${facts.join('; ')})`;
  });
  return `${heading('Settings', 'the schemas in `config.ts` of the services')}\n${intro}\n${rows.join('\n')}\n${node}`;
}

/** The services that read a setting; those that do not, if they are fewer. */
function readersOf({ services }: Row): string {
  const others = Object.keys(serviceSettings).filter((name) => !services.includes(name));
  if (others.length === 0) return 'all';
  return others.length < services.length / 2 ? `all but ${others.join(', ')}` : services.join(', ');
}

/** By name; services that mean the same by it share a row. */
function allRows(): Row[] {
  const rows = new Map<string, Row>();
  for (const [service, { settingSchemas }] of Object.entries(serviceSettings)) {
    for (const setting of describeSettings(settingSchemas)) {
      const key = JSON.stringify(setting);
      const row = rows.get(key) ?? { ...setting, services: [] };
      row.services.push(service);
      rows.set(key, row);
    }
  }
  return [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function defaultOf({ isRequired, default: value, developmentDefault }: Row): string {
  if (isRequired) return '';
  const text = value === null ? 'unset' : value === '' ? 'empty' : `\`${value}\``;
  return `default ${developmentDefault === null ? text : `${text}, outside production \`${developmentDefault}\``}`;
}

function escaped(text: string): string {
  return text.replaceAll('<', '\\<').replaceAll('*', '\\*');
}
