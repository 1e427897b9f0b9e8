import type { Connection } from 'mongoose';

export type Profiled = {
  ns: string;
  op: string;
  planSummary?: string;
  docsExamined?: number;
  keysExamined?: number;
  nreturned?: number;
  hasSortStage?: boolean;
  command: { projection?: Record<string, unknown>; hint?: string; readConcern?: { level: string } };
};

/** Runs `work` and returns the database operations in it, from MongoDB's profiler. */
export async function profiled(
  { connection: { db } }: { connection: Connection },
  work: () => Promise<unknown>,
): Promise<Profiled[]> {
  await db?.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db?.command({ profile: 0 });
  }
  const all = (await db?.collection('system.profile').find({}).sort({ ts: 1 }).toArray()) as unknown as Profiled[];
  await db?.collection('system.profile').drop();
  return all.filter(({ ns }) => !/\.system\./.test(ns) && !ns.endsWith('.$cmd'));
}
