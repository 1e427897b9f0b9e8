import { externalValue, useExternalValue } from '../../../settings/external-value.ts';
import { useBestTickets } from '../data/invoice-queries.ts';
import { type Choice, choiceOfKey, confirmsIban, preselected } from '../rules/choice.ts';
import { type Invoice, mayLink } from '../rules/invoice.ts';

type Entered = { picked?: string; found?: Choice; checkedIban?: string | null };

/** By invoice. Kept while the panel shows something else: the next invoice, or the document. */
const entered = externalValue<Readonly<Record<string, Entered>>>({});

/** What the user has decided about an invoice so far. */
export type DecisionState = {
  choices: Choice[];
  /** True while tickets are being ranked for an invoice without suggestions. */
  isLoading: boolean;
  /** Why they could not be ranked. */
  error: unknown;
  chosen: Choice | null;
  /** The ticket that the user found by searching. */
  found: Choice | null;
  isIbanChecked: boolean;
  mayLinkNow: boolean;
  pick(ticketId: string): void;
  pickKey(key: number): void;
  add(choice: Choice): void;
  checkIban(isChecked: boolean): void;
};

export function useDecision(invoice: Invoice): DecisionState {
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
    found: isNew ? found : null,
    isLoading: isHeldBack && best.isLoading,
    error: isHeldBack && best.data === undefined ? best.error : null,
    mayLinkNow: isOpen && chosen !== null && (!confirmsIban(invoice) || isIbanChecked),
    pick: (ticketId) => change({ picked: ticketId }),
    pickKey(key) {
      const ticketId = choiceOfKey(choices, key);
      if (ticketId !== null) change({ picked: ticketId });
    },
    add: (choice) => change({ found: choice, picked: choice.ticketId }),
    checkIban: (isChecked) => change({ checkedIban: isChecked ? iban : null }),
  };
}
