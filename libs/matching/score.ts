import type { MatchSettings, Suggestion } from './matching.ts';
import { type Look, signals } from './signals.ts';

/** A candidate with its score. `lifted`: the amount alone made it certain enough. */
export type Scored = { look: Look; score: number; reasons: string[]; lifted: boolean };

const most = 100;
const onlyByAmount = 80;

export function scoreOf(look: Look): Scored {
  const gains = signals.map((signal) => signal(look)).filter((gain) => gain !== null);
  const sum = gains.reduce((total, { points }) => total + points, 0);
  return { look, score: Math.max(0, Math.min(most, sum)), reasons: gains.map(({ reason }) => reason), lifted: false };
}

/** The only ticket of the contractor that has the invoice's amount: that counts as 80 points, reference or not. */
export function liftedByAmount(scored: Scored): Scored {
  if (scored.score >= onlyByAmount) return scored;
  const reasons = [...scored.reasons, 'no other ticket of this contractor has that amount'];
  return { look: scored.look, score: onlyByAmount, reasons, lifted: true };
}

/** By score, then the newest finished ticket, then by id: the same facts always stand in the same order. */
export function bestFirst(one: Scored, other: Scored): number {
  return (
    other.score - one.score ||
    Number(isFinished(other)) - Number(isFinished(one)) ||
    ticketOf(other).updated_at.localeCompare(ticketOf(one).updated_at) ||
    ticketOf(one).id.localeCompare(ticketOf(other).id)
  );
}

export function suggestionsOf(scored: readonly Scored[], { suggestScore, suggestions }: MatchSettings): Suggestion[] {
  return scored
    .filter(({ score }) => score >= suggestScore)
    .slice(0, suggestions)
    .map(({ look: { candidate, view }, score, reasons }) => {
      const { id, number, title } = candidate.ticket;
      return { ticketId: id, viewId: view.id, number, title, score, reasons };
    });
}

function ticketOf({ look }: Scored): Look['candidate']['ticket'] {
  return look.candidate.ticket;
}

function isFinished(scored: Scored): boolean {
  const { status } = ticketOf(scored);
  return status === 'finished' || status === 'closed';
}
