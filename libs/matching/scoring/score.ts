import type { MatchSettings, Suggestion } from '../matching.ts';
import type { Signal } from './signal.ts';
import { type Evaluation, signals, supplierAgrees } from './signals.ts';

/** `promotedByAmount`: the amount alone raised the score to where no reference is needed. */
export type Scored = {
  evaluation: Evaluation;
  score: number;
  reasons: string[];
  signals: Signal[];
  promotedByAmount: boolean;
};

const maxScore = 100;
/** However much else agrees, the order of somebody else's contractor may be quoted by mistake, or to be paid for nothing. */
const maxScoreOfOthers = 79;
const promotedScore = 80;

/** The sum of the points of all signals, from 0 to 100, and the reason of each; at most 79 unless the supplier is the ticket's contractor. */
export function scoreOf(evaluation: Evaluation): Scored {
  const all = signals.map((signal) => signal(evaluation)).filter((points) => points !== null);
  const sum = all.reduce((total, { points }) => total + points, 0);
  const most = supplierAgrees(evaluation) ? maxScore : maxScoreOfOthers;
  const score = Math.max(0, Math.min(most, sum));
  const reasons = all.map(({ reason }) => reason);
  const found = all.map(({ reason: _words, ...signal }) => signal);
  return { evaluation, score, reasons, signals: found, promotedByAmount: false };
}

/** Raises the score of the only ticket of the contractor that has the invoice's amount to 80 points. */
export function promoteByAmount(scored: Scored): Scored {
  if (scored.score >= promotedScore) return scored;
  const reasons = [...scored.reasons, 'no other ticket of this contractor has that amount'];
  const only: Signal = { code: 'only_amount', points: promotedScore - scored.score, values: {} };
  return { ...scored, score: promotedScore, reasons, signals: [...scored.signals, only], promotedByAmount: true };
}

/** By score, then finished tickets first, then by last update, then by id, so that the order never depends on the input's. */
export function bestFirst(one: Scored, other: Scored): number {
  return (
    other.score - one.score ||
    Number(isFinished(other)) - Number(isFinished(one)) ||
    ticketOf(other).updated_at.localeCompare(ticketOf(one).updated_at) ||
    ticketOf(one).id.localeCompare(ticketOf(other).id)
  );
}

/** The first `suggestions` with `suggestScore` points or more; `scored` is sorted best first. */
export function suggestionsOf(scored: readonly Scored[], { suggestScore, suggestions }: MatchSettings): Suggestion[] {
  return scored
    .filter(({ score }) => score >= suggestScore)
    .slice(0, suggestions)
    .map(({ evaluation: { candidate, view }, score, reasons, signals: found }) => {
      const { id, number, title } = candidate.ticket;
      return { ticketId: id, viewId: view.id, number, title, score, reasons, signals: found };
    });
}

function ticketOf({ evaluation }: Scored): Evaluation['candidate']['ticket'] {
  return evaluation.candidate.ticket;
}

function isFinished(scored: Scored): boolean {
  const { status } = ticketOf(scored);
  return status === 'finished' || status === 'closed';
}
