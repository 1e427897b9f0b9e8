import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, callVersioned, tickets } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { queryClient } from '../../../api/query.ts';
import type { Ticket } from '../list-query.ts';
import { type HistoryItem, pathOf, readHistory, refreshTicket } from '../tickets.ts';
import { type Changes, changesOf, eventsSince, formerValues } from './draft.ts';

const path = '/api/v3.0/tickets/{ticket_id}';

/** A ticket at a version: a change is only made to that version. */
export type Versioned = { ticket: Ticket; version: string };
/** What others did while the form was open. */
export type Meanwhile = { before: Ticket; after: Ticket; events: HistoryItem[] };

export function readVersioned(id: string, signal?: AbortSignal): Promise<Versioned> {
  return versioned(tickets.GET(path, { ...pathOf(id), ...(signal && { signal }) }));
}

async function versioned(request: Promise<Answer<Ticket>>): Promise<Versioned> {
  const { data: ticket, version } = await callVersioned(request);
  return { ticket, version };
}

/**
 * The ticket as it was when the form opened or, after a conflict, as it was then read again; with
 * functions to save and to undo.
 */
export function useEdit(id: string) {
  const refresh = () => refreshTicket(id);
  const key = ['tickets', 'edit', id];
  const [meanwhile, setMeanwhile] = useState<Meanwhile | null>(null);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readVersioned(id, signal),
    // Never read again by itself: values must not change under the form.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const save = useMutation({
    /**
     * @returns the changed ticket; null if others changed it before: then `meanwhile` says what
     * they did
     */
    mutationFn: async ({ base, changes }: { base: Versioned; changes: Changes }) => {
      try {
        return await write(base, changes);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
      }
      const [fresh, history] = await Promise.all([readVersioned(id), readHistory(id)]);
      queryClient.setQueryData(key, fresh);
      const before = meanwhile?.before ?? base.ticket;
      setMeanwhile({ before, after: fresh.ticket, events: eventsSince(history, before) });
      return null;
    },
    onSettled: refresh,
  });
  /** Restores the former values, unless the ticket has changed since. */
  const undo = (saved: Versioned, before: Ticket, changes: Changes) =>
    write(saved, changesOf(saved.ticket, formerValues(before, changes))).finally(refresh);
  return { query, save, undo, meanwhile };
}

async function write({ ticket, version }: Versioned, changes: Changes): Promise<Versioned> {
  const params = { ...pathOf(ticket._id).params, header: { 'If-Match': version } };
  return versioned(tickets.PATCH(path, { params, body: changes as object }));
}
