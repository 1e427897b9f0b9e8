import type { List } from '@app/kernel';
import { eventually, rowsOfCsv, rowsOfXlsx, testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';
import { createApp } from '../../create-app.ts';
import { type SheetQuery, sendSheet, sheetParameters } from '../../lists/send-sheet.ts';
import { withoutApostrophe } from '../../lists/sheet-file.ts';
import { responseSent, route } from '../../routing/route.ts';
import { type Listening, listen } from '../../server.ts';

const list: List = {
  tenant: 'client_id',
  columns: {
    name: { path: 'supplier.name', type: 'text', title: { fr: 'Nom', en: 'Name' } },
    amount: { path: 'amount', type: 'money', title: { fr: 'Montant', en: 'Amount' } },
    day: { path: 'day', type: 'date', title: { fr: 'Jour', en: 'Day' } },
    at: { path: 'at', type: 'moment', title: { fr: 'Reçu', en: 'Received' } },
    flags: {
      path: 'flags',
      type: 'enum',
      words: { a: { fr: 'un', en: 'one' } },
      title: { fr: 'Signes', en: 'Flags' },
    },
    place: { path: 'lat', type: 'number', title: { fr: 'Latitude', en: 'Latitude' } },
    hidden: { path: 'secret', type: 'text' },
  },
  indexes: [],
};
const at = new Date('2026-11-20T08:30:00Z');
const row = { lat: -45.7676, amount: 1234.5, day: '2026-11-02', at, flags: ['a', 'b'], secret: 'no' };
const rows = [
  { ...row, supplier: { name: '=1+1' } },
  { ...row, supplier: { name: 'Électricité; "Dupont",\nfils' }, amount: -261.25 },
  { ...row, supplier: { name: "'=1+1" }, amount: 0 },
  { supplier: { name: null }, amount: 0, day: null, at: null, flags: [] },
];

let source: () => AsyncIterable<object>;
let http: Listening;
beforeAll(async () => {
  const sheet = route<object, SheetQuery>({
    host: 'ts',
    method: 'get',
    path: '/sheet',
    summary: 'Download',
    tag: 'Sheets',
    access: 'public',
    query: Joi.object<SheetQuery>(sheetParameters),
    reply: { status: 200 },
    async handle({ query, res }) {
      await sendSheet(res, { ...query, list, name: 'things', rows: source() });
      return responseSent;
    },
  });
  const handler = createApp({ routes: [sheet], logger: testLogger(), verifyToken: verifyTestToken });
  http = await listen(handler, { host: '127.0.0.1', port: 0 });
});
afterAll(() => http.close());

const get = (query: string, signal?: AbortSignal) =>
  fetch(`http://127.0.0.1:${http.port}/sheet${query}`, { signal: signal ?? null });
async function* given() {
  yield* rows;
}

test.each([
  ['fr', ';', ['Nom', 'Montant', 'Jour', 'Reçu', 'Signes', 'Latitude'], ['1234,5', '-261,25', '-45,7676'], 'un, b'],
  ['en', ',', ['Name', 'Amount', 'Day', 'Received', 'Flags', 'Latitude'], ['1234.5', '-261.25', '-45.7676'], 'one, b'],
])(
  'a CSV in %s has its titles, words, separator and decimals, and no formula',
  async (language, separator, titles, [amount, refund, place], flags) => {
    source = given;
    const response = await get(`?language=${language}`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="things.csv"');
    const read = rowsOfCsv(Buffer.from(await response.arrayBuffer()), separator);
    expect(read).toEqual([
      titles,
      ["'=1+1", amount, '2026-11-02', '2026-11-20 08:30', flags, place],
      ['Électricité; "Dupont",\nfils', refund, '2026-11-02', '2026-11-20 08:30', flags, place],
      ["''=1+1", '0', '2026-11-02', '2026-11-20 08:30', flags, place],
      ['', '0', '', '', '', ''],
    ]);
    expect(read.slice(1).map(([name = '']) => withoutApostrophe(name))).toEqual(
      rows.map(({ supplier: { name } }) => name ?? ''),
    );
  },
);

test('an XLSX has numbers and dates, and text where a formula could be', async () => {
  source = given;
  const response = await get('?format=xlsx&language=fr');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="things.xlsx"');
  const day = new Date('2026-11-02T00:00:00Z');
  expect(await rowsOfXlsx(Buffer.from(await response.arrayBuffer()))).toEqual([
    ['Nom', 'Montant', 'Jour', 'Reçu', 'Signes', 'Latitude'],
    ['=1+1', 1234.5, day, at, 'un, b', -45.7676],
    ['Électricité; "Dupont",\nfils', -261.25, day, at, 'un, b', -45.7676],
    ["'=1+1", 0, day, at, 'un, b', -45.7676],
    [null, 0, null, null, null, null],
  ]);
});

test('an XLSX can be read whatever characters a text has', async () => {
  source = async function* hostile() {
    yield { supplier: { name: 'a\u0000b\u0008]]>\ud800<&\ufffe' } };
  };
  const [, [text] = []] = await rowsOfXlsx(Buffer.from(await (await get('?format=xlsx')).arrayBuffer()));
  expect(text).toMatch(/^a.*b/s);
});

test.each(['csv', 'xlsx'])('a %s whose rows fail is cut, so that it does not look whole', async (format) => {
  source = async function* failing() {
    yield* Array(20_000).fill(rows[0]);
    throw new Error('lost');
  };
  await expect(get(`?format=${format}`).then((response) => response.arrayBuffer())).rejects.toThrow(/terminated|fetch/);
});

test.each(['csv', 'xlsx'])('once a client has left, no more rows of a %s are read', async (format) => {
  let isClosed = false;
  source = async function* endless() {
    try {
      for (;;) yield rows[0] as object;
    } finally {
      isClosed = true;
    }
  };
  const leaving = new AbortController();
  await get(`?format=${format}`, leaving.signal);
  leaving.abort();
  await eventually(() => expect(isClosed).toBe(true));
});
