import type { MatchSettings, Suggestion } from './matching.ts';
import { type Look, signals } from './signals.ts';

/** A candidate with its score. `lifted`: the amount alone made it certain enough. */
export type Scored = { look: Look; score: number; reasons: string[]; lifted: boolean };

const most = 100;
const onlyByAmount = 80;

/** `isOnlyByAmount`: no other ticket of the contractor has the invoice's amount, which then counts as 80 points. */
export function scoreOf(look: Look, isOnlyByAmount: boolean): Scored {
  const gains = signals.map((signal) => signal(look)).filter((gain) => gain !== null);
  const sum = gains.reduce((total, { points }) => total + points, 0);
  const reasons = gains.map(({ reason }) => reason);
  if (isOnlyByAmount) reasons.push('no other ticket of this contractor has that amount');
  const lifted = isOnlyByAmount && sum < onlyByAmount;
  return { look, score: Math.max(0, Math.min(most, lifted ? onlyByAmount : sum)), reasons, lifted };
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
