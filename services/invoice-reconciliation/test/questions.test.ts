import { createQuestions, type Question } from '../invoices/questions-store.ts';

type Row = { id: number; client: string; keys: string[]; year: number };
type Asked = Question & { before: number };

const years = [2024, 2025, 2026];
const rows: Row[] = Array.from({ length: 90 }, (_, id) => ({
  id,
  client: `c${id % 2}`,
  keys: [`k${id % 10}`, `k${(id + 1) % 10}`],
  year: years[id % 3] as number,
}));

/** What is asked of the rows, and each query that this took. */
function questions(limits: { limit: number; limitTogether: number }) {
  const queries: { clientId: string; values: string[]; limit: number }[] = [];
  const ask = createQuestions<Asked, Row>({
    ...limits,
    valuesOf: ({ keys }) => keys,
    fits: ({ year }, { before }) => year < before,
    async find({ clientId, values, questions: asked }, limit) {
      queries.push({ clientId, values, limit });
      const before = Math.max(...asked.map((one) => one.before));
      const found = rows.filter(
        ({ client, keys, year }) => client === clientId && year < before && keysIn(keys, values),
      );
      return found.slice(0, limit);
    },
  });
  return { queries, ask };
}

const keysIn = (keys: string[], values: readonly string[]) => keys.some((key) => values.includes(key));
const answer = ({ clientId, values, before }: Asked) =>
  rows
    .filter(({ client, keys, year }) => client === clientId && year < before && keysIn(keys, values))
    .map(({ id }) => id);

const asked: Asked[] = [
  { clientId: 'c0', values: ['k1', 'k2'], before: 2026 },
  { clientId: 'c0', values: ['k2'], before: 2025 },
  { clientId: 'c1', values: ['k1', 'k2'], before: 2026 },
  { clientId: 'c0', values: ['unknown'], before: 2027 },
  { clientId: 'c0', values: [], before: 2027 },
  { clientId: 'c1', values: ['k2', 'k9'], before: 2027 },
  { clientId: 'c0', values: ['k2'], before: 2025 },
];
const ids = (found: Row[]) => found.map(({ id }) => id).sort((a, b) => a - b);

test('questions at once are one query of each client, and each has its own answer', async () => {
  const { ask, queries } = questions({ limit: 100, limitTogether: 1_000 });
  const answers = await Promise.all(asked.map(ask));
  expect(answers.map(ids)).toEqual(asked.map(answer));
  expect(queries.map(({ clientId }) => clientId).sort()).toEqual(['c0', 'c1']);
});

test('where together they may have more than was read, each is asked alone', async () => {
  const { ask, queries } = questions({ limit: 100, limitTogether: 5 });
  const answers = await Promise.all(asked.map(ask));
  expect(answers.map(ids)).toEqual(asked.map(answer));
  expect(queries).toHaveLength(2 + asked.length);
});

test('an answer has no more than its limit, asked alone or together', async () => {
  const { ask } = questions({ limit: 3, limitTogether: 1_000 });
  const [first] = asked as [Asked];
  expect(await ask(first)).toHaveLength(3);
  expect((await Promise.all(asked.map(ask))).map(({ length }) => length)).toEqual(
    asked.map((one) => Math.min(3, answer(one).length)),
  );
});

test('a query that fails fails those that were in it, and no later one', async () => {
  let isDown = true;
  const ask = createQuestions<Question, Row>({
    ...{ limit: 100, limitTogether: 1_000, valuesOf: ({ keys }) => keys },
    find: async () => (isDown ? Promise.reject(new Error('down')) : rows),
  });
  const question = { clientId: 'c0', values: ['k1'] };
  const outcomes = await Promise.allSettled([ask(question), ask(question)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await ask(question)).toEqual(rows);
});
