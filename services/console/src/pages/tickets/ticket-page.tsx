import { useEffect } from 'react';
import { useParams } from 'wouter';
import { StatusBadge } from '../../components/data-display/badge.tsx';
import { Page } from '../../components/layout/page.tsx';
import { PrintButton } from '../../components/print-button.tsx';
import { Loaded } from '../../components/states.tsx';
import { ticketStatuses } from '../../words/status-words.ts';
import { DeadlinesSection } from './deadlines/deadlines-section.tsx';
import { ListNav } from './list/list-nav.tsx';
import { noteShown } from './list/row-keys.ts';
import type { Ticket } from './list-query.ts';
import { MoveBar } from './moves/move-bar.tsx';
import { PurchasesSection } from './purchases/purchases-section.tsx';
import { DatesSection } from './sections/dates-section.tsx';
import { DetailsSection } from './sections/details-section.tsx';
import { DocumentsSection } from './sections/documents-section.tsx';
import { InvoicesSection } from './sections/invoices-section.tsx';
import { QuotesSection } from './sections/quotes-section.tsx';
import { useTexts } from './texts.ts';
import styles from './tickets.module.css';
import { useTicket } from './tickets.ts';
import { NoteComposer } from './timeline/note-composer.tsx';
import { Timeline } from './timeline/timeline.tsx';

export function TicketPage() {
  const texts = useTexts();
  const { id = '' } = useParams<{ id: string }>();
  const query = useTicket(id);
  useEffect(() => noteShown(id), [id]);
  const ticket = query.data;
  const title = ticket ? `${ticket.number} ${ticket.title}` : texts.ticket;
  const heading = ticket && (
    <span className={styles['title']}>
      <span>{title}</span> <StatusBadge words={ticketStatuses} code={ticket.status} />
    </span>
  );
  const actions = (
    <>
      <PrintButton />
      <ListNav ticketId={id} />
    </>
  );
  return (
    <Page title={title} heading={heading} actions={actions}>
      {ticket ? <Shown ticket={ticket} key={id} /> : <Loaded query={query}>{() => null}</Loaded>}
    </Page>
  );
}

function Shown({ ticket }: { ticket: Ticket }) {
  return (
    <>
      {ticket.description && <p className={styles['description']}>{ticket.description}</p>}
      <MoveBar ticket={ticket} />
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <DeadlinesSection ticket={ticket} />
          <DetailsSection ticket={ticket} />
          <DatesSection ticket={ticket} />
          <QuotesSection ticket={ticket} />
          <DocumentsSection ticket={ticket} />
          <PurchasesSection ticket={ticket} />
          <InvoicesSection ticket={ticket} />
        </div>
        <div className={styles['column']}>
          <NoteComposer ticket={ticket} />
          <Timeline ticket={ticket} />
        </div>
      </div>
    </>
  );
}
