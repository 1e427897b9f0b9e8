import { Link } from 'react-aria-components';
import type { Invoice } from '../rules/invoice.ts';
import { useTexts } from '../texts.ts';
import { Alert } from './alerts/alert.tsx';

/** Why the invoice is on no ticket, as a person said, and what its provider knows of a refusal. */
export function ConclusionNote({ invoice: { conclusion, feedback } }: { invoice: Invoice }) {
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
