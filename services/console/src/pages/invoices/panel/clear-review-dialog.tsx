import { AlertDialog } from '../../../components/overlays/overlay.tsx';
import type { Invoice } from '../rules/invoice.ts';
import { useTexts } from '../texts.ts';
import { ReasonText } from './reason-text.tsx';

type ClearReviewDialogProps = { invoice: Invoice; onConfirm: () => void; onClose: () => void };

/** Asks before a review is cleared: it cannot be taken back, and the invoice may be paid because of it. */
export function ClearReviewDialog({ invoice, onConfirm, onClose }: ClearReviewDialogProps) {
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
