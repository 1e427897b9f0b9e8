import { externalValue, useExternalValue } from '../../../settings/external-value.ts';
import { useBestTickets } from '../data/invoice-queries.ts';
import { type Choice, choiceOfKey, confirmsIban, preselected } from '../rules/choice.ts';
import { type Invoice, mayLink } from '../rules/invoice.ts';

type Entered = { picked?: string; found?: Choice; checkedIban?: string | null };

/** By invoice. Kept while the panel shows something else: the next invoice, or the document. */
const entered = externalValue<Readonly<Record<string, Entered>>>({});

/** What the user has decided about an invoice so far. */
export type DecisionState = ReturnType<typeof useDecision>;

export function useDecision(invoice: Invoice) {
  const all = useExternalValue(entered);
  const { picked, found = null, checkedIban } = all[invoice.id] ?? {};
  const isOpen = mayLink(invoice);
  const isHeldBack = isOpen && invoice.suggestions.length === 0 && invoice.state !== 'ticket_unmatched';
  const best = useBestTickets(invoice.id, isHeldBack);
  const suggested: Choice[] = !isOpen ? [] : isHeldBack ? (best.data ?? []) : invoice.suggestions;
  const isNew = found !== null && !suggested.some(({ ticketId }) => ticketId === found.ticketId);
  const choices = isNew ? [...suggested, found] : suggested;
  const wanted = picked ?? preselected(invoice, suggested);
  const chosen = choices.find(({ ticketId }) => ticketId === wanted) ?? null;
  const iban = invoice.supplier.iban ?? '';
  const isIbanChecked = checkedIban === iban;
  const change = (next: Entered) => entered.set({ ...all, [invoice.id]: { ...all[invoice.id], ...next } });
  return {
    choices,
    chosen,
    isIbanChecked,
    /** The ticket that the user found by searching. */
    found: isNew ? found : null,
    /** True while tickets are being ranked for an invoice without suggestions. */
    isLoading: isHeldBack && best.isLoading,
    /** Why they could not be ranked. */
    error: isHeldBack && best.data === undefined ? best.error : null,
    mayLinkNow: isOpen && chosen !== null && (!confirmsIban(invoice) || isIbanChecked),
    pick: (ticketId: string): void => change({ picked: ticketId }),
    pickKey(key: number): void {
      const ticketId = choiceOfKey(choices, key);
      if (ticketId !== null) change({ picked: ticketId });
    },
    add: (choice: Choice): void => change({ found: choice, picked: choice.ticketId }),
    checkIban: (isChecked: boolean): void => change({ checkedIban: isChecked ? iban : null }),
  };
}
