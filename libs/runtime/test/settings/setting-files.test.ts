import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Joi from 'joi';
import { loadConfig } from '../../settings/config.ts';
import { environmentWithFiles } from '../../settings/setting-files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (content: string) => {
  const path = join(folder, `secret-${Buffer.from(content).toString('hex')}`);
  writeFileSync(path, content);
  return path;
};

const schemas = { KEY: Joi.string().required().description('a key'), 'EXTRA_<NAME>_URL': Joi.string() };
const load = (env: NodeJS.ProcessEnv) => loadConfig<{ KEY: string }>(schemas as never, { OPS_PORT: '1', ...env });

test.each(['hunter2', 'hunter2\n', 'hunter2\r\n'])(
  'a setting is read from the file that <NAME>_FILE names: %j',
  (text) => {
    expect(load({ KEY_FILE: file(text) }).KEY).toBe('hunter2');
  },
);

test('only the line break at the end is no part of the value', () => {
  expect(load({ KEY_FILE: file(' a\nb \n\n') }).KEY).toBe(' a\nb \n');
});

test('a file that cannot be read is named once, with its path', () => {
  const act = () => load({ KEY_FILE: join(folder, 'missing') });
  expect(act).toThrow(/^The settings .*:\n {2}"KEY_FILE" names a file that cannot be read \(ENOENT\): .*missing$/);
});

test('value and file at once are refused, and neither is repeated', () => {
  const act = () => load({ KEY: 'hunter2', KEY_FILE: file('hunter3') });
  expect(act).toThrow('"KEY" and "KEY_FILE" are both set');
  expect(act).not.toThrow(/hunter/);
});

test('only files of declared settings are opened', () => {
  expect(load({ KEY: 'a', OTHER_FILE: '/nowhere', NAMESPACED_KEY_FILE: '/nowhere' }).KEY).toBe('a');
});

test('a setting whose name has a free part is read under every such name, from files too', () => {
  const settings = load({
    KEY: 'a',
    EXTRA_ONE_URL: 'b',
    EXTRA_TWO_B_URL_FILE: file('c'),
    EXTRA__URL: 'd',
    EXTRA_URL: 'e',
  });
  expect(settings).toMatchObject({ EXTRA_ONE_URL: 'b', EXTRA_TWO_B_URL: 'c' });
  expect(settings).not.toHaveProperty('EXTRA__URL');
  expect(settings).not.toHaveProperty('EXTRA_URL');
});

test('an environment that is passed on has the values in place of the files', () => {
  const env = { KEY_FILE: file('a'), OTHER_FILE: '/x', PLAIN: 'b' };
  expect(environmentWithFiles(['KEY'], env)).toEqual({ KEY: 'a', OTHER_FILE: '/x', PLAIN: 'b' });
  expect(() => environmentWithFiles(['KEY'], { KEY_FILE: '/nowhere' })).toThrow('"KEY_FILE" names a file');
});
