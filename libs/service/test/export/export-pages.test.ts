import { exportedFile, nestedRows, readExportPage, rowsOf } from '@app/service/export';

const things = Array.from({ length: 7 }, (_, index) => ({ id: String(index), text: 'x'.repeat(index * 10) }));

/** The list, two at a time; `read` tells how far it was read. */
function source(after: string | null, read: string[] = []) {
  return rowsOf({
    after,
    limit: 2,
    async read(position, limit) {
      const page = things.filter(({ id }) => position === null || id > position).slice(0, limit);
      read.push(...page.map(({ id }) => id));
      return page;
    },
    rowOf: (thing) => ({ position: thing.id, value: thing, files: [{ key: thing.id, path: `files/${thing.id}` }] }),
  });
}

const unlimited = { rows: 100, bytes: 10_000, files: 100, ms: 60_000 };

test.each([
  ['rows', { rows: 3 }, ['0', '1', '2'], '2'],
  ['bytes', { bytes: 60 }, ['0', '1', '2'], '2'],
  ['files', { files: 1 }, ['0'], '0'],
  ['time', { ms: -1 }, ['0'], '0'],
  ['the end', {}, ['0', '1', '2', '3', '4', '5', '6'], null],
])('a page ends by %s', async (_limit, limit, ids, next) => {
  const page = await readExportPage(source(null), { ...unlimited, ...limit });
  expect(page.lines).toBe(
    things
      .filter(({ id }) => ids.includes(id))
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  );
  expect({ count: page.count, files: page.files.length, next: page.next }).toEqual({
    count: ids.length,
    files: ids.length,
    next,
  });
});

test('page after page, everything comes once, and nothing is read ahead of its page', async () => {
  const lines: string[] = [];
  const read: string[] = [];
  for (let after: string | null = null, pages = 0; ; pages += 1) {
    const page = await readExportPage(source(after, read), { ...unlimited, rows: 2 });
    lines.push(...page.lines.split('\n').filter(Boolean));
    after = page.next;
    if (after === null) break;
    expect(read.length).toBeLessThanOrEqual(2 * (pages + 1));
  }
  expect(lines.map((line) => JSON.parse(line))).toEqual(things);
});

test('rows within things come once each, wherever a page ends', async () => {
  const inner: Record<string, string[]> = { a: ['1', '2'], b: [], c: ['1'], d: [], e: ['1', '2', '3'] };
  const rows = (after: string | null) =>
    nestedRows({
      after,
      things: (from) => Object.keys(inner).filter((id) => from === null || id >= from),
      idOf: (id) => id,
      rows: (id, position) =>
        rowsOf({
          after: position,
          read: async (from) => (inner[id] ?? []).filter((one) => from === null || one > from),
          rowOf: (one) => ({ position: one, value: [id, one] }),
        }),
    });
  for (const limits of [unlimited, { ...unlimited, rows: 1 }, { ...unlimited, rows: 2 }, { ...unlimited, ms: -1 }]) {
    let lines = '';
    for (let after: string | null = null; ; ) {
      const page = await readExportPage(rows(after), limits);
      lines += page.lines;
      after = page.next;
      if (after === null) break;
    }
    const all = Object.entries(inner).flatMap(([id, ones]) => ones.map((one) => JSON.stringify([id, one])));
    expect(lines.split('\n').filter(Boolean)).toEqual(all);
  }
});

test('what has no value moves a page on, without a line', async () => {
  async function* rows() {
    yield { position: 'a' };
    yield { position: 'b', value: { b: 1 } };
  }
  expect(await readExportPage(rows(), { ...unlimited, ms: -1 })).toEqual({
    count: 0,
    lines: '',
    files: [],
    next: 'a',
  });
});

test.each([
  ['quote.pdf', 'quote.pdf'],
  ['../../etc/passwd', '__.._etc_passwd'],
  ['Devis n°3 (été).pdf', 'Devis n_3 (été).pdf'],
  ['', 'file'],
  ['a\\b/c:d', 'a_b_c_d'],
])('the path of a file named %j stays in its folder', (name, shown) => {
  const { path } = exportedFile({ key: 'secret-key', name });
  expect(path).toMatch(/^files\/[0-9a-f]{16}\/[^/]+$/);
  expect(path.split('/')[2]).toBe(shown);
  expect(path).not.toContain('secret');
});
