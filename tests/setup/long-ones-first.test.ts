import LongOnesFirst from './long-ones-first.ts';

/** What Jest tells a sequencer of a test file; there is no cache of earlier runs. */
function aFile(name: string, bytes: number) {
  const config = { id: name, displayName: { name }, cacheDirectory: '/nowhere', rootDir: '/nowhere' };
  return { path: `/${name}-${bytes}`, context: { config, hasteFS: { getSize: () => bytes } } };
}

const ordered = (...files: ReturnType<typeof aFile>[]) =>
  new LongOnesFirst({} as never).sort(files as never).map(({ path }) => path);

test('the kind of a test decides, then its size', () => {
  const files = [aFile('unit', 900), aFile('int', 100), aFile('int', 800), aFile('e2e', 50), aFile('faults', 1)];
  expect(ordered(...files)).toEqual(['/faults-1', '/e2e-50', '/int-800', '/int-100', '/unit-900']);
});
