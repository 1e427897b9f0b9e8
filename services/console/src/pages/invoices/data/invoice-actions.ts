// The next invoice is shown before a link is answered: waiting would be most of the work. So the invoice is read again before the link
// is sent, and a press counts once the next one has been on the screen for a moment.

import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, ts } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { queryClient } from '../../../api/query.ts';
import { announce } from '../../../session/actions.ts';
import type { Concluded } from '../rules/conclusion.ts';
import type { Counts, Invoice } from '../rules/invoice.ts';
import { isAsSeen } from '../rules/invoice.ts';
import { isAsWanted, outcomeOf } from '../rules/outcome.ts';
import type { Told } from '../rules/telling.ts';
import { useTexts } from '../texts.ts';
import { invoiceQuery, keys, leaving, readVersioned, watch } from './invoice-queries.ts';

type Target = { ticketId: string; viewId: string; number: string };
export type Act =
  | { kind: 'link'; invoice: Invoice; target: Target; reason?: string }
  | { kind: 'unlink'; invoice: Invoice }
  | { kind: 'clear'; invoice: Invoice }
  | { kind: 'conclude'; invoice: Invoice; concluded: Concluded }
  | { kind: 'reopen'; invoice: Invoice }
  | { kind: 'tell'; invoice: Invoice; told: Told }
  | { kind: 'resync'; invoice: Invoice };

type Undoable = Extract<Act, { kind: 'link' | 'unlink' | 'conclude' }>;

/** `isKnown`: whether it is sure that nothing was done. `now`: the invoice as it was read afterwards. */
export type Failure = { act: Act; error: unknown; now: Invoice | null; isKnown: boolean };

/** An action under way; until it is sent, it has certainly not been carried out. */
type Attempt = { act: Act; isSent: boolean };

/** The invoice on the screen, and since when. */
let shown = { id: '', sinceMs: 0 };

/** For the panel: notes when its invoice is painted. */
export function useNoteShown(id: string): void {
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      shown = { id, sinceMs: performance.now() };
    });
    return () => cancelAnimationFrame(frame);
  }, [id]);
}

type Last = Pick<Act, 'kind'> & { id: string; endedAtMs: number };
/** Nobody reads what an action has led to, and decides the same of that, within this time. */
const readMs = 300;

/**
 * Whether a press was meant for the action before: the user cannot have seen yet what that led to, the next invoice or
 * why it failed. By the time of the press, which a busy browser hands over late.
 */
function isTooSoon(last: Last | null, { kind, invoice: { id } }: Act, pressedAtMs: number): boolean {
  if (last?.kind !== kind) return false;
  const seenAtMs = last.id === id ? last.endedAtMs : shown.id === id ? shown.sinceMs : Number.POSITIVE_INFINITY;
  return pressedAtMs < seenAtMs + readMs;
}

const atVersion = (id: string, version: string) => ({ path: { id }, header: { 'If-Match': version } });

type LinkBody = Pick<Target, 'ticketId' | 'viewId'> & { reason?: string };

function link(id: string, body: LinkBody, version: string) {
  return call(ts.POST('/invoices/{id}/link', { params: atVersion(id, version), body }));
}

/** With `keepCandidate` the ticket is suggested again. */
function unlink(id: string, keepCandidate: boolean, version: string) {
  return call(ts.POST('/invoices/{id}/unlink', { params: atVersion(id, version), body: { keepCandidate } }));
}

function conclude(id: string, { outcome, ...given }: Concluded, version: string) {
  const params = atVersion(id, version);
  switch (outcome) {
    case 'no_ticket':
      return call(ts.POST('/invoices/{id}/no-ticket', { params, body: given }));
    case 'duplicate_of':
      return call(ts.POST('/invoices/{id}/duplicate-of', { params, body: given as Body<'duplicate_of'> }));
    case 'refused':
      return call(ts.POST('/invoices/{id}/refuse', { params, body: given as Body<'refused'> }));
  }
}

type Body<Outcome> = Omit<Extract<Concluded, { outcome: Outcome }>, 'outcome'>;

const reopen = (id: string, version: string) =>
  call(ts.POST('/invoices/{id}/reopen', { params: atVersion(id, version) }));

function send(act: Exclude<Act, { kind: 'resync' }>, version: string): Promise<unknown> {
  const { id } = act.invoice;
  switch (act.kind) {
    case 'link': {
      const { ticketId, viewId } = act.target;
      return link(id, { ticketId, viewId, ...(act.reason !== undefined && { reason: act.reason }) }, version);
    }
    case 'unlink':
      return unlink(id, false, version);
    case 'clear':
      return call(ts.POST('/invoices/{id}/clear-review', { params: atVersion(id, version) }));
    case 'conclude':
      return conclude(id, act.concluded, version);
    case 'reopen':
      return reopen(id, version);
    case 'tell':
      return call(ts.POST('/invoices/{id}/status', { params: atVersion(id, version), body: act.told }));
  }
}

type Change = {
  /** Whether the invoice, as it is now, may be changed. */
  mayChange: (now: Invoice) => boolean;
  send: (version: string) => Promise<unknown>;
};

/**
 * Reads the invoice and changes it at that version. @throws ApiError, 409 `changed_meanwhile` if it may not be changed
 * any more
 */
async function change(id: string, wanted: Change): Promise<void> {
  for (let triesLeft = 3; ; triesLeft -= 1) {
    const { invoice, version } = await readVersioned(id);
    queryClient.setQueryData(keys.one(id), invoice);
    if (!wanted.mayChange(invoice)) {
      throw new ApiError('it has changed', { status: 409, code: 'changed_meanwhile' });
    }
    try {
      await wanted.send(version);
      return;
    } catch (error) {
      // Somebody, or matching, changed the invoice in between: it is read and checked again.
      if (!(error instanceof ApiError) || error.status !== 412 || triesLeft === 1) throw error;
    }
  }
}

/** Performs the action if the invoice still is as the user saw it. */
async function perform(attempt: Attempt): Promise<void> {
  const { act } = attempt;
  const { id, provider, externalId } = act.invoice;
  if (act.kind === 'resync') {
    attempt.isSent = true;
    await call(ts.POST('/invoices/resync', { body: { provider, externalId } }));
    return;
  }
  await change(id, {
    mayChange: (now) => isAsSeen(act.invoice, now),
    send: (version) => {
      attempt.isSent = true;
      return send(act, version);
    },
  });
}

/** Reads everything about invoices again; resolves when the lists and this invoice are up to date. */
async function refresh(id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.lists }),
    queryClient.invalidateQueries({ queryKey: keys.counts }),
    queryClient.invalidateQueries({ queryKey: keys.one(id) }),
  ]);
}

/** The invoice as it is after an action that failed; null if that cannot be read. */
function readAgain(id: string): Promise<Invoice | null> {
  const query = { ...invoiceQuery(id), staleTime: 0, retry: 2, networkMode: 'always' as const };
  return queryClient.fetchQuery(query).catch(() => null);
}

function setLeaving(id: string, isLeaving: boolean): void {
  const next = new Set(leaving.get());
  if (isLeaving) next.add(id);
  else next.delete(id);
  leaving.set(next);
}

/** Lowers the count of the invoice's list at once. */
function countDown({ state }: Invoice): void {
  queryClient.setQueryData<Counts>(
    keys.counts,
    (counts) => counts && { ...counts, [state]: Math.max(0, counts[state] - 1), linked: counts.linked + 1 },
  );
}

type Options = {
  /** Called when a link was sent: the next invoice may be shown. */
  onLink: (invoice: Invoice) => void;
  /** Called if an action failed, or if it is not known whether it was carried out. */
  onFailed: (failure: Failure) => void;
  /** Called when a link was undone. */
  onUndone: (id: string) => void;
};

/** The user's actions on invoices: at most one at a time for each invoice, and one per press. */
export function useInvoiceActions({ onLink, onFailed, onUndone }: Options) {
  const announceAct = useAnnounce(onUndone);
  const last = useRef<Last | null>(null);
  const running = useRef(new Set<string>());
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const { mutateAsync } = useMutation({ mutationFn: perform });

  const done = (act: Act) => {
    if (act.kind !== 'link') watch(act.invoice.id);
    announceAct(act);
    return refresh(act.invoice.id);
  };

  const run = async (act: Act) => {
    const { id } = act.invoice;
    const pressedAtMs = window.event?.timeStamp ?? performance.now();
    if (isTooSoon(last.current, act, pressedAtMs) || running.current.has(id)) return;
    const own: Last = { kind: act.kind, id, endedAtMs: Number.POSITIVE_INFINITY };
    last.current = own;
    running.current.add(id);
    setBusy(new Set(running.current));
    if (act.kind === 'link') {
      setLeaving(id, true);
      countDown(act.invoice);
      onLink(act.invoice);
    }
    const attempt = { act, isSent: false };
    try {
      await mutateAsync(attempt);
      await done(act);
    } catch (error) {
      const now = await readAgain(id);
      const outcome = attempt.isSent ? outcomeOf(act, error, now) : 'failed';
      if (outcome === 'done') await done(act);
      else {
        await refresh(id);
        setLeaving(id, false);
        onFailed({ act, error, now, isKnown: outcome === 'failed' });
      }
    } finally {
      own.endedAtMs = performance.now();
      setLeaving(id, false);
      running.current.delete(id);
      setBusy(new Set(running.current));
    }
  };
  return { run: (act: Act) => void run(act), isBusy: (id: string) => busy.has(id) };
}

/**
 * Announces what was done, with an undo. The undo fails if somebody else has changed the invoice
 * since.
 */
function useAnnounce(onUndone: (id: string) => void): (act: Act) => void {
  const texts = useTexts();
  const undoOf = (act: Undoable, send: Change['send']) => async () => {
    const { id } = act.invoice;
    try {
      await change(id, { mayChange: (now) => isAsWanted(act, now), send });
      watch(id);
    } finally {
      await refresh(id);
    }
    onUndone(id);
  };
  return (act) => {
    const { id, number, linkedTicket, externalId } = act.invoice;
    const name = number ?? externalId;
    const about = [act.invoice.supplier.name, name].filter(Boolean).join(', ');
    const href = `/invoices/${id}`;
    if (act.kind === 'link') {
      const undo = undoOf(act, (version) => unlink(id, true, version));
      announce(texts.linked(act.target.number), { undo, about, href });
    } else if (act.kind === 'unlink' && linkedTicket) {
      const undo = undoOf(act, (version) =>
        link(id, { ticketId: linkedTicket.ticketId, viewId: linkedTicket.viewId }, version),
      );
      announce(texts.unlinked(linkedTicket.number), { undo, about, href });
    } else if (act.kind === 'unlink') announce(texts.unlinked(name), { href });
    else if (act.kind === 'conclude') {
      const undo = undoOf(act, (version) => reopen(id, version));
      announce(texts.concluded[act.concluded.outcome](name), { undo, about, href });
    } else
      announce(
        { clear: texts.cleared, reopen: texts.reopened, tell: texts.told, resync: texts.resynced }[act.kind](name),
        { href },
      );
  };
}
