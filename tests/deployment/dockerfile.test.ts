import { nodeEnvironment, serviceNodeArguments } from '@app/start';
import { read } from './manifest-settings.ts';

const dockerfile = read('Dockerfile');
/** The instructions of a stage, continued lines joined. */
const stage = (name: string) => {
  const [, rest = ''] = dockerfile.split(new RegExp(`^FROM \\S+ AS ${name}$`, 'm'));
  return (rest.split(/^FROM /m)[0] ?? '').replace(/^#.*\n/gm, '').replaceAll('\\\n', ' ');
};
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> };

test('the base is the exact version of Node that everything is tested with', () => {
  expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${lock.packages['node_modules/node']?.version}-bookworm-slim\n`);
});

test('every image is made from it', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, base]) => base);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Docker's own
  expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}', 'packages']));
});

test('a service runs as npm start runs it', () => {
  const [, entrypoint = ''] = /^ENTRYPOINT (.*)$/m.exec(stage('service')) ?? [];
  expect(JSON.parse(entrypoint)).toEqual(['node', ...serviceNodeArguments, 'main.ts']);
  const { NODE_COMPILE_CACHE: _folder, ...environment } = nodeEnvironment('.stack');
  for (const [name, value] of Object.entries(environment)) expect(stage('service')).toContain(`${name}=${value}`);
  // A cache made with other arguments is not used.
  expect(stage('service-build')).toContain(`RUN node ${serviceNodeArguments.join(' ')} main.ts`);
});

test.each(['service', 'operations'])('the image %s is not root, and says what it is', (name) => {
  expect(stage(name)).toMatch(/^USER 1000:1000$/m);
  for (const label of ['title', 'description', 'version', 'revision', 'source', 'licenses'])
    expect(stage(name)).toContain(`org.opencontainers.image.${label}=`);
});

test('the guide is built with its own packages, and nothing but its site and the documents comes into an image', () => {
  expect(stage('pages')).toMatch(
    /npm ci --ignore-scripts(?!.*--omit).*node tools\/generate\/main\.ts types.*main\.ts guide/s,
  );
  expect(stage('service-build')).toContain(
    'COPY --from=pages /app/services/console/reference services/console/reference',
  );
  for (const name of ['service-build', 'operations-build'])
    expect(stage(name)).toMatch(/ && rm -r .* docs CHANGELOG\.md$/m);
});

test('a service is healthy once it is ready', () => {
  expect(stage('service')).toMatch(/HEALTHCHECK .*\/readyz/);
});
