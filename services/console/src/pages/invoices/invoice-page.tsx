import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { ButtonLink } from '../../components/button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { PrintButton } from '../../components/print-button.tsx';
import { listIn } from '../../routing/from-list.ts';
import styles from './bench/bench.module.css';
import { Bench } from './bench/bench.tsx';
import { FailureNotice } from './bench/failure-notice.tsx';
import { type Failure, useInvoiceActions } from './data/invoice-actions.ts';
import { useInvoice } from './data/invoice-queries.ts';
import { listOf } from './rules/invoice.ts';
import { useTexts } from './texts.ts';

/** One invoice, whatever list it is in: the address to send to a colleague. */
export function InvoicePage() {
  const texts = useTexts();
  const { id = '' } = useParams();
  const { data: invoice } = useInvoice(id);
  const list = listIn(useHistoryState()) || (invoice ? `list=${listOf(invoice)}&i=${id}` : '');
  const [failure, setFailure] = useState<Failure | null>(null);
  const actions = useInvoiceActions({
    onLink: () => setFailure(null),
    onFailed: setFailure,
    onUndone: () => undefined,
  });
  const notice = failure && <FailureNotice failure={failure} isShown onDismiss={() => setFailure(null)} />;
  return (
    <Page
      title={invoice ? texts.invoiceTitle(invoice.number ?? texts.unnumbered) : texts.invoices}
      actions={
        <>
          <PrintButton />
          <ButtonLink variant="quiet" href={`/invoices?${list}`}>
            <ChevronLeft size={16} aria-hidden="true" />
            {texts.backToList}
          </ButtonLink>
        </>
      }
    >
      <div className={styles['alone']}>
        <Bench id={id} actions={actions} onSkip={null} notice={notice} />
      </div>
    </Page>
  );
}
