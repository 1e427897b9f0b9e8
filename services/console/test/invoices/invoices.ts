import type { Choice } from '../../src/pages/invoices/rules/choice.ts';
import type { Invoice, Signal } from '../../src/pages/invoices/rules/invoice.ts';

/** An invoice of the queue, of 1,234.56 without VAT. */
export function anInvoice(given: Partial<Invoice> = {}): Invoice {
  return {
    id: 'i1',
    client: 'c',
    connection: 'n',
    provider: 'sandbox',
    externalId: 'x',
    ticket: null,
    view: null,
    supplier: { externalId: null, name: 'Fixit', siret: null, siren: '732829320', iban: null, accounts: [] },
    kind: 'invoice',
    number: 'FA-2026-0101',
    issueDate: '2026-11-16',
    currency: 'EUR',
    providerStatus: null,
    amounts: { ht: 1234.56, tva: 246.91, ttc: 1481.47 },
    vatBreakdown: [],
    matchHints: { poRef: null, ticketRef: null, orderRef: null },
    warnings: [],
    state: 'ticket_unmatched',
    createdAt: '2026-11-16T08:00:00Z',
    updatedAt: '2026-11-16T08:00:00Z',
    flags: [],
    suggestions: [],
    linkedTicket: null,
    reasons: [],
    reasonCodes: [],
    related: [],
    knownAccounts: [],
    sharedAccounts: [],
    conclusion: null,
    changes: [],
    rematchAt: null,
    error: null,
    feedback: null,
    supplierStatus: {
      current: null,
      told: [],
      sendable: [],
      obstacle: null,
      suggested: null,
      receivesAt: null,
      directoryFailure: null,
    },
    receivedStatuses: [],
    history: [],
    ...given,
  };
}

export function aChoice(given: Partial<Choice> = {}): Choice {
  return {
    ticketId: 't1',
    viewId: 'v1',
    number: 'T-000001',
    title: 'Leak',
    score: 85,
    signals: [],
    status: 'finished',
    contractor: null,
    location: null,
    quotes: [],
    orders: [],
    invoiced: [],
    ...given,
  };
}

export function aSignal(code: Signal['code'], points: number, values: Signal['values'] = {}): Signal {
  return { code, points, values };
}
