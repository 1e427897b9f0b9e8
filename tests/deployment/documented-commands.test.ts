import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { verbs } from '../../tools/ops/verbs.ts';
import { deployed } from './chart-values.ts';
import { read, root } from './manifest-settings.ts';
import { composeIn, type Manifest } from './rendered-manifests.ts';

/** The commands that the pages and files of operators name: each must do what it says to a platform in production. */
const pages = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'Dockerfile',
    'tools/ops/settings/arguments.ts',
    'tools/ops/settings/settings.ts',
  ],
  ...globSync(['docs/*.md', 'docs/contributing/*.md', 'docs/people/*.md', 'docker-compose*.yml'], { cwd: root }),
];
const development = 'docker-compose.dev.yml';

/** As they are typed: in code of a page or a comment, without what follows on its line. */
function commandsOf(program: string): [command: string, page: string][] {
  const pattern = new RegExp(
    `(?:^|[\`'$(#&|;]|^#) *(${program} [^\`'#\\n]*?)(?= *[\`'#\\n;&|)]|  |, then| \\d>|$)`,
    'gm',
  );
  return pages.flatMap((page) =>
    [...read(page).matchAll(pattern)].map(([, command = '']): [string, string] => [command.trim(), page]),
  );
}

const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;
/** What the image of operators can run, if their program is copied into it. */
const [, copied = ''] = /AS operations-build\nRUN node tools\/image\/main\.ts (.*?) &&/.exec(read('Dockerfile')) ?? [];
const commandsOfImage = copied.split(' ').some((folder) => scripts['ops'] === `node ${folder}/main.ts`)
  ? Object.keys(verbs)
  : [];

type Compose = { files: string[]; variables: string[]; subcommand: string; words: string[] };

function parsed(command: string): Compose {
  const words = command.split(/\s+/).slice(2);
  const given: Record<string, string[]> = { '-f': [], '--env-file': [] };
  for (let option = given[words[0] ?? '']; option; option = given[words[0] ?? ''])
    option.push(words.splice(0, 2)[1] ?? '');
  const { '-f': files = [], '--env-file': variables = [] } = given;
  const [subcommand = '', ...rest] = words;
  return { files, variables, subcommand, words: rest };
}

test('Compose takes the file of production, and adds no other by itself', () => {
  expect(globSync(['{docker-,}compose*.y{a,}ml'], { cwd: root }).sort()).toEqual([
    development,
    'docker-compose.observability.yml',
    'docker-compose.yml',
  ]);
  expect(composeIn('docker-compose.yml').name).not.toBe(composeIn(development).name);
});

const composeCommands = commandsOf('docker compose');

test('there are such commands', () => {
  const asked = composeCommands.map(([command]) => parsed(command).subcommand);
  expect(asked).toEqual(expect.arrayContaining(['up', 'run']));
});

test.each(composeCommands)('%s (%s) has files, services and commands that there are', (command) => {
  const { files, variables, subcommand, words } = parsed(command);
  for (const file of files) expect([file, existsSync(join(root, file))]).toEqual([file, true]);
  expect(variables).toEqual(files.includes(development) ? ['docker-compose.dev.env'] : []);
  const merged = Object.assign({}, ...['docker-compose.yml', ...files].map((file) => composeIn(file).services));
  const [first = '', ...others] = words.filter((word) => !word.startsWith('-'));
  const runsOne = subcommand === 'run' || subcommand === 'exec';
  if (subcommand === 'run' && first === 'operations') expect(commandsOfImage).toContain(others[0]);
  for (const name of runsOne ? [first] : servicesIn(words)) expect(Object.keys(merged)).toContain(name);
});

/** What is left of `up --wait --scale ticket=2 gateway` without options. */
function servicesIn(words: string[]): string[] {
  return words.flatMap((word, at) => {
    if (words[at - 1] === '--scale') return word.replace(/=\d+$/, '');
    return /^[a-z][a-z-]*$/.test(word) ? word : [];
  });
}

test.each(composeCommands.filter(([command]) => command.includes(' run ')))(
  '%s (%s) runs beside production, and neither starts nor changes what runs',
  (command) => {
    const { files, words } = parsed(command);
    expect(files).toEqual([]);
    expect(words[0]).toBe('--rm');
    const service: Manifest = composeIn('docker-compose.yml').services[words[1] ?? ''];
    if (words[1] === 'operations') expect(service.depends_on).toEqual({});
  },
);

test.each(commandsOf('npm run'))('%s (%s) is a script', (command) => {
  const name = /^npm run ([\w-]+)/.exec(command)?.[1] ?? '';
  expect(Object.keys(scripts)).toContain(name);
});

test.each(['docs/deployment.md', 'docs/upgrading.md'])(
  '%s installs packages before secrets are made of a checkout',
  (page) => {
    const [block = ''] = /```sh\n(?:(?!```)[\s\S])*^npm run ops -- settings secrets/m.exec(read(page)) ?? [];
    expect(block).toMatch(/^npm ci --omit=dev /m);
  },
);

const kubernetes = commandsOf('kubectl');
/** Jobs that a page makes itself, of a CronJob. */
const created = kubernetes.flatMap(([command]) => / create job ([a-z-]+) --from=/.exec(command)?.[1] ?? []);

test.each(commandsOf('helm'))('%s (%s) names the chart, files that there are, and a namespace', (command) => {
  expect(command).toMatch(/ (--namespace|-n) (facility-platform|facility-platform-dev|data)\b/);
  const files = command.match(/\bk8s\/\S+/g) ?? [];
  if (/^helm (upgrade|template)/.test(command)) expect(files).toContain('k8s/chart');
  for (const file of files) expect([file, existsSync(join(root, file))]).toEqual([file, true]);
});

test('Kubernetes is installed by Helm alone', () => {
  expect(commandsOf('helm').length).toBeGreaterThan(3);
  expect(kubernetes.filter(([command]) => / (-k|kustomize)\b/.test(command))).toEqual([]);
});

const isCreated = (command: string) => created.some((name) => new RegExp(`\\bjob/${name}( |$)`).test(command));

test.each(kubernetes.filter(([command]) => !isCreated(command) && /\b(deployment|job|cronjob)\/[a-z-]+/.test(command)))(
  '%s (%s) names what is deployed, and a command that its image has',
  (command) => {
    const [, kind = '', name = ''] = /\b(deployment|job|cronjob)\/([a-z-]+)/.exec(command) ?? [];
    expect(deployed[kind as keyof typeof deployed]).toContain(name);
    const verb = /-- npm run ops -- ([\w-]+)/.exec(command)?.[1];
    if (verb !== undefined) expect(commandsOfImage).toContain(verb);
  },
);
