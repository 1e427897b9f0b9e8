import type { Ticket } from './ticket.ts';

/**
 * The time of the next change of a ticket: now, or just after its last change where another process, whose clock is
 * ahead, made that. Subscribers of webhooks order what they hear of a ticket by it, so it never goes back.
 */
export function nextTime({ updated_at }: Pick<Ticket, 'updated_at'>, now: Date): Date {
  return new Date(Math.max(now.getTime(), updated_at.getTime() + 1));
}
