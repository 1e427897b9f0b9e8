import { useParams } from 'wouter';
import { StatusBadge } from '../../components/data-display/badge.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { Page } from '../../components/layout/page.tsx';
import { PrintButton } from '../../components/print-button.tsx';
import { Loaded } from '../../components/states.tsx';
import { ticketStatuses } from '../../words/status-words.ts';
import { PurchasesSection } from './purchases/purchases-section.tsx';
import { Section } from './section.tsx';
import { Dates } from './sections/dates-section.tsx';
import { DetailsSection } from './sections/details-section.tsx';
import { InvoicesSection } from './sections/invoices-section.tsx';
import { QuotesSection } from './sections/quotes-section.tsx';
import { useTexts } from './texts.ts';
import styles from './tickets.module.css';
import { useReadOnlyTicket } from './tickets.ts';

type Found = NonNullable<ReturnType<typeof useReadOnlyTicket>['data']>;

/** A ticket for accounting: what was ordered, done, received and invoiced. */
export function ReadOnlyTicketPage() {
  const texts = useTexts();
  const { id = '' } = useParams<{ id: string }>();
  const query = useReadOnlyTicket(id);
  const ticket = query.data?.ticket;
  const title = ticket ? `${ticket.number} ${ticket.title}` : texts.ticket;
  const heading = ticket && (
    <span className={styles['title']}>
      <span>{title}</span> <StatusBadge words={ticketStatuses} code={ticket.status} />
    </span>
  );
  return (
    <Page title={title} heading={heading} actions={<PrintButton />}>
      <Loaded query={query}>{(found) => <Shown {...found} key={id} />}</Loaded>
    </Page>
  );
}

function Shown({ ticket, dates, files }: Found) {
  const texts = useTexts();
  return (
    <>
      {ticket.description && <p className={styles['description']}>{ticket.description}</p>}
      <div className={styles['column']}>
        <DetailsSection ticket={ticket} />
        <Section id="dates" title={texts.dates}>
          <Dates ticket={ticket} dates={dates} />
        </Section>
        <QuotesSection ticket={ticket} />
        <PurchasesSection ticket={ticket} />
        <Section id="documents" title={texts.documents}>
          <Files files={files} />
        </Section>
        <InvoicesSection ticket={ticket} />
      </div>
    </>
  );
}

function Files({ files }: Pick<Found, 'files'>) {
  const texts = useTexts();
  if (files.length === 0) return <p className={styles['small']}>{texts.noDocuments}</p>;
  return (
    <ul aria-label={texts.documents} className={styles['items']}>
      {files.map((file) => (
        <li key={file._id} className={styles['item']}>
          <a href={file.download_url} download>
            {texts.download(file.name)}
          </a>
          <span className={styles['small']}>{texts.documentKinds[file.kind]}</span>
          <span className={styles['small']}>
            <DateTime value={file.added_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
