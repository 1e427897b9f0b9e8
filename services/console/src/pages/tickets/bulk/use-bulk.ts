import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { forEach, retryWhenLimited } from '../../../api/concurrent-requests.ts';
import { ApiError } from '../../../api/errors.ts';
import { queryClient } from '../../../api/query.ts';
import { readVersioned } from '../edit/edit-ticket.ts';
import type { Ticket } from '../list-query.ts';
import type { Move } from '../moves/moves.ts';
import { sendMove } from '../moves/send-move.ts';
import { type BulkOperation, type Candidate, sorted } from './bulk.ts';

export type Failure = { ticket: Pick<Ticket, '_id' | 'number'>; error: unknown };
type Body = Record<string, unknown>;

/** Reads each ticket anew: what may be done with it, and its version. */
async function readAll(tickets: readonly Ticket[]) {
  const candidates: Candidate[] = [];
  const failures: Failure[] = [];
  await forEach(tickets, async (ticket) => {
    try {
      candidates.push(await retryWhenLimited(() => readVersioned(ticket._id)));
    } catch (error) {
      failures.push({ ticket, error });
    }
  });
  return { candidates, failures };
}

/**
 * One move of several tickets. Each request names the version that was read: a change by somebody else is not overwritten. Tickets that
 * failed are read again, to be tried again.
 */
export function useBulk(operation: BulkOperation, selected: readonly Ticket[], onDone: (ids: string[]) => void) {
  const [failures, setFailures] = useState<Failure[]>([]);
  const [progress, setProgress] = useState<number | null>(null);
  const [{ tickets, round }, setRound] = useState({ tickets: selected, round: 1 });
  const query = useQuery({
    queryKey: ['bulk', operation, round, tickets.map(({ _id }) => _id)],
    queryFn: () => readAll(tickets),
    // What was entered stays while the tickets are read for another try.
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { possible, impossible } = sorted(query.data?.candidates ?? [], operation);

  const run = useMutation({
    /** @throws ApiError for a fault of the input, which is the same for all tickets */
    mutationFn: async (body: Body) => {
      const failed: Failure[] = [];
      const done: string[] = [];
      let fault: ApiError | null = null;
      setProgress(0);
      const work = async (candidate: Candidate & { move: Move }) => {
        try {
          await retryWhenLimited(() => sendMove(candidate.move, body, { 'If-Match': candidate.version }));
          done.push(candidate.ticket._id);
        } catch (error) {
          if (error instanceof ApiError && error.faults.length > 0) fault = error;
          else failed.push({ ticket: candidate.ticket, error });
        }
        setProgress(done.length + failed.length);
      };
      await forEach(possible, work, () => fault !== null);
      setFailures(failed);
      if (done.length > 0) onDone(done);
      if (!fault) setRound({ tickets: tickets.filter(({ _id }) => !done.includes(_id)), round: round + 1 });
      if (fault) throw fault;
      return { done: done.length, failed: failed.length };
    },
    onSettled: () => {
      setProgress(null);
      return queryClient.invalidateQueries({ queryKey: ['tickets'] });
    },
  });
  const isReady = query.isSuccess && !query.isPlaceholderData;
  return { query, isReady, possible, impossible, unread: query.data?.failures ?? [], failures, progress, run };
}
