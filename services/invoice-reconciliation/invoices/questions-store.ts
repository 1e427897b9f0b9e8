import { createBatcher } from '@app/runtime';

/** What is asked of one client's documents: those that have one of these values. */
export type Question = { clientId: string; values: readonly string[] };

type Options<Asked extends Question, Row> = {
  /** The documents of the client that have one of the values, for all of these questions; `limit` at most. */
  find: (asked: { clientId: string; values: string[]; questions: Asked[] }, limit: number) => Promise<Row[]>;
  valuesOf: (row: Row) => readonly string[];
  /** What else a document needs to be the answer, where several questions found it. */
  fits?: (row: Row, question: Asked) => boolean;
  /** Documents that answer one question. */
  limit: number;
  /** Documents found for several at once; where there may be more, each is asked alone. */
  limitTogether: number;
};

const askedAtOnce = 100;
/** Many that are at the same step come there together, so a batch need not wait long for company. */
const pauseMs = 8;

/**
 * Questions of one kind that come at once are one query. A query costs this process and the database nearly as much as what
 * many of them find.
 */
export function createQuestions<Asked extends Question, Row>(
  options: Options<Asked, Row>,
): (question: Asked) => Promise<Row[]> {
  const { find, valuesOf, fits = () => true, limit, limitTogether } = options;

  const alone = (question: Asked) =>
    find({ clientId: question.clientId, values: [...question.values], questions: [question] }, limit);

  /** Of one client. */
  async function together(questions: Asked[]): Promise<Map<Asked, Row[]>> {
    const [first] = questions;
    if (!first || questions.length === 1) return new Map(first ? [[first, await alone(first)]] : []);
    const values = [...new Set(questions.flatMap((one) => one.values))];
    const rows = await find({ clientId: first.clientId, values, questions }, limitTogether);
    if (rows.length >= limitTogether) {
      return new Map(await Promise.all(questions.map(async (one) => [one, await alone(one)] as const)));
    }
    const having = new Map<string, Row[]>();
    for (const row of rows) {
      for (const value of valuesOf(row)) {
        const same = having.get(value);
        if (same) same.push(row);
        else having.set(value, [row]);
      }
    }
    return new Map(questions.map((one) => [one, answerOf(one, having)]));
  }

  function answerOf(question: Asked, having: Map<string, Row[]>): Row[] {
    const rows = new Set(question.values.flatMap((value) => having.get(value) ?? []));
    return [...rows].filter((row) => fits(row, question)).slice(0, limit);
  }

  async function run(questions: Asked[]): Promise<Row[][]> {
    const clients = Map.groupBy(questions, ({ clientId }) => clientId);
    const answers = await Promise.all([...clients.values()].map(together));
    const all = new Map(answers.flatMap((one) => [...one]));
    return questions.map((question) => all.get(question) ?? []);
  }

  const batches = createBatcher({ maxBatch: askedAtOnce, maxDelayMs: pauseMs, run });
  return (question) => batches.add(question);
}
