import type { Connection } from 'mongoose';
import type { ListQuery, Plan } from '../../tickets/lists/ticket-list-plan.ts';

type Stage = { stage: string; inputStage?: Stage; inputStages?: Stage[] };
type Explained = {
  queryPlanner: { winningPlan: Stage };
  executionStats: { nReturned: number; totalDocsExamined: number; totalKeysExamined: number };
};

/** How MongoDB carries out the plan of a page. */
export async function explainPlan(connection: Connection, { filter, hint }: Plan, { order, limit }: ListQuery) {
  const tickets = connection.model('Ticket').collection.find(filter, { hint });
  const page = tickets.sort({ _id: order === 'desc' ? -1 : 1 }).limit(limit);
  const plan = (await page.explain('executionStats')) as unknown as Explained;
  return { plan, stages: stagesOf(plan.queryPlanner.winningPlan) };
}

function stagesOf({ stage, inputStage, inputStages = [] }: Stage): string[] {
  return [stage, ...[...(inputStage ? [inputStage] : []), ...inputStages].flatMap(stagesOf)];
}
