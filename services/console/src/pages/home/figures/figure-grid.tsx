import type { ComponentType } from 'react';
import { useSession } from '../../../session/session.ts';
import { type CardName, cardsOf } from './cards.ts';
import { Agenda, Invoices, Proposals, Quotes, Work } from './contractor-figures.tsx';
import styles from './figure-grid.module.css';
import { Checks, Due, Matched, Suppliers, ToTreat } from './invoice-figures.tsx';
import { QuotesToDecide } from './quotes-to-decide.tsx';
import {
  Commitments,
  Contractors,
  Deadlines,
  Open,
  Planned,
  SpendByMonth,
  SpendByPlace,
  Uninvoiced,
} from './ticket-figures.tsx';

const cards: Record<CardName, ComponentType> = {
  open: Open,
  quotesToDecide: QuotesToDecide,
  planned: Planned,
  spendByMonth: SpendByMonth,
  spendByPlace: SpendByPlace,
  commitments: Commitments,
  contractors: Contractors,
  deadlinesByContractor: () => <Deadlines by="contractor" />,
  deadlinesByPlace: () => <Deadlines by="place" />,
  deadlines: () => <Deadlines by="client" />,
  toTreat: ToTreat,
  due: Due,
  suppliers: Suppliers,
  checks: Checks,
  matched: Matched,
  agenda: Agenda,
  proposals: Proposals,
  quotes: Quotes,
  uninvoiced: Uninvoiced,
  invoices: Invoices,
  work: Work,
};

/** The cards of who is signed in. Each loads, and fails, by itself. */
export function FigureGrid() {
  const names = cardsOf(useSession());
  return (
    <div className={styles['grid']}>
      {names.map((name) => {
        const Card = cards[name];
        return <Card key={name} />;
      })}
    </div>
  );
}
