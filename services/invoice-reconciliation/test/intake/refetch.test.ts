import { allStatuses, type InvoiceSupplier, invoiceFeedbackRequested } from '@app/contracts';
import { newId } from '@app/kernel';
import { deletedAtProvider, effectOf, refetchedUnchanged, updateLinked } from '../../intake/refetch.ts';
import { fetchTimeOf, isLater } from '../../invoices/fetch-order.ts';
import type { Feedback } from '../../invoices/invoice.ts';
import { conclude } from '../../review/conclude.ts';
import { aFetchedInvoice, anInvoice, at, canonical } from '../invoices.ts';

const before = new Date(at.getTime() - 1_000);
const after = new Date(at.getTime() + 1_000);

test.each([
  ['a later count, whatever the clocks say', { at: before, sequence: 8 }, true],
  ['an earlier count, whatever the clocks say', { at: after, sequence: 6 }, false],
  ['the same once more', { at: after, sequence: 7 }, false],
])('a later fetch has %s', (_what, asked, later) => {
  expect(isLater(asked, { at, sequence: 7 })).toBe(later);
});

const counted = (sequence: number, fetched_at: Date, hash = 'a') => {
  const arrival = aFetchedInvoice();
  const raw = { ...arrival.content.raw, hash: hash.repeat(64) };
  return { ...arrival, content: { ...arrival.content, raw, fetched_at, sequence } };
};

test('the sequence decides which content is newer, whatever the clocks say', () => {
  const known = anInvoice({ state: 'ticket_unmatched', content: counted(7, at).content });
  expect(effectOf(known, counted(8, before, 'b'))).toBe('restart');
  expect(effectOf(known, counted(6, after, 'b'))).toBe('stale');
  const gonePast = deletedAtProvider(known, { at: after, sequence: 6 }, after).invoice;
  expect(gonePast).toBe(known);
  const isGone = deletedAtProvider(known, { at: before, sequence: 8 }, after).invoice;
  expect(isGone).toMatchObject({ provider_status: 'deleted', content: { sequence: 8 } });
  // Content fetched before the deletion is outdated; content fetched since is new.
  expect(effectOf(isGone, counted(7, after, 'b'))).toBe('stale');
  expect(effectOf(isGone, counted(9, before))).toBe('restart');
});

test('unchanged content makes earlier fetches outdated, and concurrent writes fail', () => {
  const known = anInvoice({ content: counted(7, at).content });
  const { invoice, events } = refetchedUnchanged(known, counted(9, before));
  expect([fetchTimeOf(invoice.content), events]).toEqual([{ at: before, sequence: 9 }, []]);
  expect(invoice.version).toBe(known.version + 1);
  expect(effectOf(invoice, counted(8, after, 'b'))).toBe('stale');
});

test('a refusal that changed content ends is reversed at the provider', () => {
  const waiting = anInvoice({ state: 'ticket_unmatched' });
  const why = { outcome: 'refused', reason: 'not ours', code: 'recipient' } as const;
  const refused = conclude(waiting, why, { at, by: { id: newId() }, heard: allStatuses }).invoice;
  const told = { ...refused, feedback: { ...(refused.feedback as Feedback), result: 'sent' as const } };
  const amounts = { ht: 1, tva: 0, ttc: 1 };
  const { invoice, events } = updateLinked(
    told,
    { fetched: counted(8, after, 'b'), canonical: { ...canonical, amounts } },
    at,
  );
  expect(invoice).toMatchObject({ state: 'manual_review', conclusion: null, feedback: { outcome: 'reversed' } });
  expect(events.map(({ type }) => type)).toContain(invoiceFeedbackRequested.type);
});

const foreign = { ...canonical.supplier, siren: null, name: 'Kälte & Söhne GmbH', vatNumber: 'DE811907980' };
const nameless = { ...foreign, vatNumber: null };

/** The state of a linked invoice after a refetch with another supplier. */
function stateAfter(before: InvoiceSupplier, supplier: InvoiceSupplier): string {
  const known = anInvoice({ state: 'done', ticket_id: 'a', canonical: { ...canonical, supplier: before } });
  return updateLinked(known, { fetched: aFetchedInvoice(), canonical: { ...canonical, supplier } }, at).invoice.state;
}

test.each([
  ['another VAT number', foreign, { vatNumber: 'DE136695976' }],
  ['another name where there is no VAT number', nameless, { name: 'Wärme AG' }],
  ['a VAT number that came to another name', nameless, { name: 'Wärme AG', vatNumber: 'DE136695976' }],
  ['a SIREN that came to another name', foreign, { name: 'Froid', vatNumber: null, siren: '732829320' }],
])('a supplier without SIREN that changes needs a person: %s', (_what, before, change) => {
  expect(stateAfter(before, { ...before, ...change })).toBe('manual_review');
});

test.each([
  ['the VAT number with spaces', foreign, { vatNumber: 'de 811 907 980' }],
  ['another name of the same VAT number', foreign, { name: 'Kälte und Söhne' }],
  ['the name in capitals, without accents', nameless, { name: 'KALTE & SOHNE GMBH' }],
  ['its VAT number is known now', nameless, { vatNumber: 'DE811907980' }],
  ['another name of the same SIREN', canonical.supplier, { name: 'Froid Service SARL' }],
])('a supplier that is only written differently does not: %s', (_what, before, change) => {
  expect(stateAfter(before, { ...before, ...change })).toBe('done');
});
