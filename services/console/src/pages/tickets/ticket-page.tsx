import { useParams } from 'wouter';
import { StatusBadge } from '../../components/badge.tsx';
import { Page } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { ticketStatuses } from '../../words/status-words.ts';
import { DatesSection } from './dates-section.tsx';
import { DetailsSection } from './details-section.tsx';
import { DocumentsSection } from './documents-section.tsx';
import { InvoicesSection } from './invoices-section.tsx';
import { MoveBar } from './move-bar.tsx';
import { NoteComposer } from './note-composer.tsx';
import { PurchasesSection } from './purchases-section.tsx';
import { QuotesSection } from './quotes-section.tsx';
import { useTexts } from './texts.ts';
import styles from './tickets.module.css';
import { useTicket } from './tickets.ts';
import { Timeline } from './timeline.tsx';
import type { Ticket } from './views.ts';

export function TicketPage() {
  const texts = useTexts();
  const { id = '' } = useParams<{ id: string }>();
  const query = useTicket(id);
  if (query.data) return <Shown ticket={query.data} key={id} />;
  return (
    <Page title={texts.ticket}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function Shown({ ticket }: { ticket: Ticket }) {
  const title = `${ticket.number} ${ticket.title}`;
  const heading = (
    <span className={styles['title']}>
      <span>{title}</span> <StatusBadge words={ticketStatuses} code={ticket.status} />
    </span>
  );
  return (
    <Page title={title} heading={heading}>
      {ticket.description && <p className={styles['description']}>{ticket.description}</p>}
      <MoveBar ticket={ticket} />
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <DetailsSection ticket={ticket} />
          <DatesSection ticketId={ticket._id} />
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
    </Page>
  );
}
