import { describeSettings, type SettingDescription } from '@app/runtime';
import { serviceSettings } from '@app/settings';
import { heading, table } from '../markdown.ts';

type Row = SettingDescription & { services: string[] };

const intro = `Environment variables. A setting that is missing or wrong stops the start with a message that names it. An empty
value is a value: it means empty or none, or is refused, and never the default. Any setting can be read from a file instead: \`<NAME>_FILE\` names it, as with Docker and
Kubernetes secrets. Durations are written \`500ms\`, \`10s\`, \`5m\`, \`2h\`, \`1d\`. \`npm run settings -- check\` says what an environment lacks
for production, with \`--env-file .env --secrets <folder>\` what containers get, settings that nobody reads included. Keys are made by \`npm start\` and by \`npm run settings -- secrets <folder>\`.

A setting in bold is required. Secret: its value must not be seen.
`;

const node = `
## Of Node.js and the C library

\`NODE_EXTRA_CA_CERTS\` names a file of certificates that are trusted besides the public ones. The images set
\`NODE_COMPILE_CACHE\`, \`MALLOC_ARENA_MAX\` and \`MALLOC_MMAP_THRESHOLD_\`, and start Node.js with arguments of the \`Dockerfile\`, for memory and a fast
start (docs/decisions). \`NODE_OPTIONS\` is yours.
`;

/** Every setting, from the schemas by which the services read them. */
export function settingsPage(): string {
  const rows = allRows().map((row) => [
    row.isRequired ? `**\`${row.name}\`**` : `\`${row.name}\``,
    row.services.length === Object.keys(serviceSettings).length ? 'all' : row.services.join(', '),
    defaultOf(row),
    escaped(row.unit),
    escaped(row.meaning),
    row.isSecret ? 'secret' : '',
  ]);
  const columns = ['setting', 'service', 'default', 'unit or form', 'meaning', ''];
  return `${heading('Settings', 'the schemas in `config.ts` of the services')}\n${intro}\n${table(columns, rows)}\n${node}`;
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
  return developmentDefault === null ? text : `${text}, \`${developmentDefault}\` outside production`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<');
}
