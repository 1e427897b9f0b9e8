import type { BulkOperation } from './bulk.ts';

type Texts = {
  /** On the button below the list. */
  name: string;
  title: string;
  act: (count: number) => string;
  done: (count: number) => string;
  /** A consequence that cannot be undone; null: there is none that the list does not show. */
  consequence: string | null;
};

const tickets = (count: number) => (count === 1 ? '1 ticket' : `${count} tickets`);

/** What is done with several tickets at once. */
export const bulk: Record<BulkOperation, Texts> = {
  propose: {
    name: 'Propose',
    title: 'Propose the selected tickets',
    act: (count) => `Propose ${tickets(count)}`,
    done: (count) => `${tickets(count)} proposed`,
    consequence: null,
  },
  assign: {
    name: 'Assign',
    title: 'Assign the selected tickets',
    act: (count) => `Assign ${tickets(count)}`,
    done: (count) => `${tickets(count)} assigned`,
    consequence: null,
  },
  close: {
    name: 'Close',
    title: 'Close the selected tickets',
    act: (count) => `Close ${tickets(count)}`,
    done: (count) => `${tickets(count)} closed`,
    consequence: 'The work on them ends here. Reopened, each will be “Open”, whatever it is now.',
  },
};
