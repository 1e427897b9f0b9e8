import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { call, tickets } from '../../../api/client.ts';
import type { Ticket } from '../list-query.ts';
import { pathOf, refreshTicket } from '../tickets.ts';
import { keyOf, type Move, undoOf } from './moves.ts';

export type MoveInput = { move: Move; body?: Record<string, unknown>; report?: File | null };

type Answer = { data?: unknown; error?: unknown; response: Response };
/** The paths of moves come from the API, so the compiler does not know them. */
type ByPath = { request(method: string, path: string, init: object): Promise<Answer> };

/** Sends a move, and then its report. If only the report fails, the next try sends the report alone. */
export function useMove(ticketId: string) {
  const done = useRef<string | null>(null);
  return useMutation({
    mutationFn: async ({ move, body = {}, report }: MoveInput) => {
      if (done.current !== keyOf(move)) await sendMove(move, body);
      if (!report) return;
      done.current = keyOf(move);
      await call(
        tickets.POST('/api/v3.0/tickets/{ticket_id}/reports', { ...pathOf(ticketId), ...form({ file: report }) }),
      );
      done.current = null;
    },
    onSettled: () => refreshTicket(ticketId),
  });
}

/**
 * A function that undoes a move from the ticket's present status; undefined if it cannot be undone.
 */
export function useUndo({ _id, status }: Pick<Ticket, '_id' | 'status'>) {
  const moves = {
    reopen: () => call(tickets.POST('/api/v3.0/tickets/{ticket_id}/open', pathOf(_id))),
    finish: () => call(tickets.PUT('/api/v3.0/tickets/{ticket_id}/finish', { ...pathOf(_id), body: {} })),
  };
  return (move: Move): (() => Promise<unknown>) | undefined => {
    const back = undoOf(move, status);
    if (!back) return undefined;
    return async () => {
      for (const operation of back) await moves[operation]();
      await refreshTicket(_id);
    };
  };
}

export async function sendMove(
  { method, path, body: fixed = {} }: Move,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const { request } = tickets as unknown as ByPath;
  const isForm = method === 'POST' && path.endsWith('/quotes');
  const sent = { ...fixed, ...body };
  return call(request(method.toLowerCase(), path, { headers, ...(isForm ? form(sent) : { body: sent }) }));
}

/** A body as a form, with or without a file. */
export function form<Body extends object>(body: Body) {
  return {
    body: body as never,
    bodySerializer: () => {
      const sent = new FormData();
      for (const [field, value] of Object.entries(body)) {
        if (value !== undefined && value !== null) sent.append(field, value instanceof Blob ? value : String(value));
      }
      return sent;
    },
  };
}
