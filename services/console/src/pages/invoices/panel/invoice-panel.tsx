import { useState } from 'react';
import { Link } from 'react-aria-components';
import { StatusBadge } from '../../../components/data-display/badge.tsx';
import { AlertDialog } from '../../../components/overlays/overlay.tsx';
import { invoiceStates } from '../../../words/status-words.ts';
import { type useInvoiceActions, useNoteShown } from '../data/invoice-actions.ts';
import { isLooking } from '../data/invoice-queries.ts';
import { type Invoice, mayLink } from '../rules/invoice.ts';
import type { Told } from '../rules/telling.ts';
import { useTexts } from '../texts.ts';
import { ActionBar } from './action-bar.tsx';
import { Alert } from './alerts/alert.tsx';
import { Alerts } from './alerts/alerts.tsx';
import { ConcludeSheet } from './conclude-sheet.tsx';
import { useDecision } from './decision.ts';
import { type DoubtfulLink, DoubtfulLinkDialog } from './doubtful-link.tsx';
import { History } from './history.tsx';
import { Identity } from './identity.tsx';
import styles from './panel.module.css';
import { ReasonText } from './reason-text.tsx';
import { ReceivedStatuses, SupplierStatus } from './supplier/supplier-status.tsx';
import { TellSheet } from './supplier/tell-sheet.tsx';
import { FindTicket } from './tickets/find-ticket.tsx';
import { LinkedTicket } from './tickets/linked-ticket.tsx';
import { Suggestions } from './tickets/suggestions.tsx';

type ClearReviewDialogProps = { invoice: Invoice; onConfirm: () => void; onClose: () => void };

/** Asks before a review is cleared: it cannot be taken back, and the invoice may be paid because of it. */
function ClearReviewDialog({ invoice, onConfirm, onClose }: ClearReviewDialogProps) {
  const texts = useTexts();
  const { number, externalId, reasonCodes } = invoice;
  return (
    <AlertDialog
      title={texts.clearTitle(number ?? externalId)}
      confirm={texts.clear}
      isOpen
      onConfirm={onConfirm}
      onOpenChange={onClose}
    >
      <p>{texts.clearDespite}</p>
      <ul>
        {reasonCodes.map((reason) => (
          <li key={reason.code}>
            <ReasonText reason={reason} />
          </li>
        ))}
      </ul>
      <p>{texts.clearForGood}</p>
    </AlertDialog>
  );
}

type PanelProps = {
  invoice: Invoice;
  actions: ReturnType<typeof useInvoiceActions>;
  /** Null if there is no next invoice. */
  onSkip: (() => void) | null;
};

/** What is known about an invoice, and what can be done with it. */
export function InvoicePanel({ invoice, actions, onSkip }: PanelProps) {
  const texts = useTexts();
  const decision = useDecision(invoice);
  const { id, supplier, state } = invoice;
  useNoteShown(id);
  const [question, setQuestion] = useState<Question | null>(null);
  const ask = () => setQuestion({ about: 'clear', invoice });
  return (
    <section className={styles['panel']} aria-label={texts.match}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard, too */}
      <div className={styles['body']} key={id} tabIndex={0}>
        <header className={styles['head']}>
          <h2>{supplier.name ?? texts.unnamedSupplier}</h2>
          <StatusBadge words={invoiceStates} code={state} />
        </header>
        <Identity invoice={invoice} />
        <Alerts invoice={invoice} decision={decision} onClear={ask} />
        {invoice.conclusion && <ConclusionNote invoice={invoice} />}
        {invoice.linkedTicket && <LinkedTicket invoice={invoice} ticket={invoice.linkedTicket} />}
        {mayLink(invoice) && (
          <>
            <Suggestions invoice={invoice} decision={decision} isLooking={isLooking(invoice)} />
            <FindTicket id={id} onFound={decision.add} />
          </>
        )}
        <SupplierStatus invoice={invoice} />
        <ReceivedStatuses invoice={invoice} />
        <History invoice={invoice} />
      </div>
      <ActionBar
        invoice={invoice}
        decision={decision}
        actions={actions}
        onSkip={onSkip}
        onClear={ask}
        onDoubt={(doubtful) => setQuestion({ about: 'link', ...doubtful })}
        onConclude={() => setQuestion({ about: 'conclude', invoice })}
        onTell={() => setQuestion({ about: 'tell', invoice })}
      />
      {question && <Dialogs question={question} setQuestion={setQuestion} run={actions.run} />}
    </section>
  );
}

/** About the invoice as it was when the question was asked: the answer does not cover what has changed since. */
type Question =
  | { about: 'clear' | 'conclude' | 'tell'; invoice: Invoice }
  | { about: 'refuse'; invoice: Invoice; told: Told }
  | ({ about: 'link' } & DoubtfulLink);
type DialogsProps = {
  question: Question;
  setQuestion: (question: Question | null) => void;
  run: PanelProps['actions']['run'];
};

function Dialogs({ question, setQuestion, run }: DialogsProps) {
  const texts = useTexts();
  const { invoice } = question;
  const onClose = () => setQuestion(null);
  const act = (one: Parameters<typeof run>[0]) => {
    onClose();
    run(one);
  };
  switch (question.about) {
    case 'clear':
      return (
        <ClearReviewDialog invoice={invoice} onConfirm={() => act({ kind: 'clear', invoice })} onClose={onClose} />
      );
    case 'conclude':
      return (
        <ConcludeSheet
          invoice={invoice}
          onConclude={(concluded) => act({ kind: 'conclude', invoice, concluded })}
          onClose={onClose}
        />
      );
    case 'tell': {
      // A refusal is final: it is asked for twice.
      const tell = (told: Told) =>
        told.status === 'refused'
          ? setQuestion({ about: 'refuse', invoice, told })
          : act({ kind: 'tell', invoice, told });
      return <TellSheet invoice={invoice} onTell={tell} onClose={onClose} />;
    }
    case 'refuse':
      return (
        <AlertDialog
          title={texts.refuseTitle(invoice.number ?? invoice.externalId)}
          confirm={texts.refuse}
          isOpen
          onConfirm={() => act({ kind: 'tell', invoice, told: question.told })}
          onOpenChange={onClose}
        >
          <p>{texts.refuseForGood}</p>
        </AlertDialog>
      );
    case 'link':
      return (
        <DoubtfulLinkDialog
          doubtful={question}
          onConfirm={(reason) => act({ kind: 'link', invoice, target: question.target, reason })}
          onClose={onClose}
        />
      );
  }
}

/** Why the invoice is on no ticket, as a person said, and what its provider knows of a refusal. */
function ConclusionNote({ invoice: { conclusion, feedback } }: { invoice: Invoice }) {
  const texts = useTexts();
  if (conclusion === null) return null;
  const { outcome, reason, code, invoiceId } = conclusion;
  const told = feedback?.outcome === 'refused' ? feedback.result : 'untold';
  return (
    <Alert title={texts.conclusions[outcome]} isRegion>
      <p>{code === null ? reason : `${texts.statusReasons[code]}. ${reason}`}</p>
      {invoiceId !== null && (
        <p>
          <Link href={`/invoices/${invoiceId}`}>{texts.openOther}</Link>
        </p>
      )}
      {outcome === 'refused' && <p>{texts.refusalTold[told]}</p>}
    </Alert>
  );
}
