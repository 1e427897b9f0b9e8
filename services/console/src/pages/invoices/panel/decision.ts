import { useState } from 'react';
import { useBestTickets } from '../data/invoice-queries.ts';
import { type Choice, choiceOfKey, confirmsIban, preselected } from '../rules/choice.ts';
import { type Invoice, mayLink } from '../rules/invoice.ts';

type Entered = { of: string; picked: string | null | undefined; found: Choice | null; isIbanChecked: boolean };

/** What the user has decided about an invoice so far. It is reset for each invoice. */
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
  const [entered, setEntered] = useState<Entered>(() => blank(invoice.id));
  const now = entered.of === invoice.id ? entered : blank(invoice.id);
  const isOpen = mayLink(invoice);
  const isHeldBack = isOpen && invoice.suggestions.length === 0 && invoice.state !== 'ticket_unmatched';
  const best = useBestTickets(invoice.id, isHeldBack);
  const suggested: Choice[] = !isOpen ? [] : isHeldBack ? (best.data ?? []) : invoice.suggestions;
  const { found } = now;
  const isNew = found !== null && !suggested.some(({ ticketId }) => ticketId === found.ticketId);
  const choices = isNew ? [...suggested, found] : suggested;
  const picked = now.picked === undefined ? preselected(invoice, suggested) : now.picked;
  const chosen = choices.find(({ ticketId }) => ticketId === picked) ?? null;
  const change = (next: Partial<Entered>) => setEntered({ ...now, ...next });
  return {
    ...{ choices, chosen, isIbanChecked: now.isIbanChecked },
    found: isNew ? found : null,
    isLoading: isHeldBack && best.isLoading,
    error: isHeldBack && best.data === undefined ? best.error : null,
    mayLinkNow: isOpen && chosen !== null && (!confirmsIban(invoice) || now.isIbanChecked),
    pick: (ticketId) => change({ picked: ticketId }),
    pickKey(key) {
      const ticketId = choiceOfKey(choices, key);
      if (ticketId !== null) change({ picked: ticketId });
    },
    add: (choice) => change({ found: choice, picked: choice.ticketId }),
    checkIban: (isIbanChecked) => change({ isIbanChecked }),
  };
}

function blank(of: string): Entered {
  return { of, picked: undefined, found: null, isIbanChecked: false };
}
