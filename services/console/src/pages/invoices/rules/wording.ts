import type { Signal } from './invoice.ts';

export type SignalValues = Signal['values'];

/** The values of a signal as the user reads them: with currency, in the user's language. */
export type Wording = { invoiced: string; basis: 'TTC' | 'HT'; compared: string; date: string; status: string };
