import { useState } from 'react';
import { Field } from '../../../components/forms/field.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { Dialog } from '../../../components/overlays/overlay.tsx';
import type { Choice } from '../rules/choice.ts';
import type { Invoice } from '../rules/invoice.ts';
import type { Objection } from '../rules/objections.ts';
import { useTexts } from '../texts.ts';
import { ReasonText } from './reason-text.tsx';
import { useWording } from './tickets/ticket-comparison.tsx';

/** A link that something speaks against, as it was when the question was asked. */
export type DoubtfulLink = { invoice: Invoice; target: Choice; objections: Objection[] };

type Props = { doubtful: DoubtfulLink; onConfirm: (reason: string) => void; onClose: () => void };

/** Asks why the invoice is linked all the same. The sentence is kept with the link. */
export function DoubtfulLinkDialog({ doubtful: { invoice, target, objections }, onConfirm, onClose }: Props) {
  const texts = useTexts();
  const [reason, setReason] = useState('');
  const isGiven = reason.trim() !== '';
  const { number, externalId } = invoice;
  return (
    <Dialog title={texts.doubtfulTitle(number ?? externalId, target.number)} isOpen onOpenChange={onClose}>
      <Form
        submit={texts.linkTo(target.number)}
        isDisabled={!isGiven}
        onSubmit={() => isGiven && onConfirm(reason.trim())}
        onCancel={onClose}
      >
        <p>{texts.doubtful}</p>
        <ul>
          {objections.map((objection) => (
            <li key={JSON.stringify(objection)}>
              <ObjectionText objection={objection} />
            </li>
          ))}
        </ul>
        <Field
          label={texts.whyAllTheSame}
          hint={texts.whyKept}
          value={reason}
          onChange={setReason}
          maxLength={500}
          isArea
          isRequired
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

function ObjectionText({ objection }: { objection: Objection }) {
  const texts = useTexts();
  const wording = useWording();
  switch (objection.kind) {
    case 'reason':
      return <ReasonText reason={objection.reason} />;
    case 'flag':
      return texts.flags[objection.flag] ?? objection.flag;
    case 'contractor':
      return texts.otherContractor(objection.name);
    case 'signal':
      return wording(objection.signal);
  }
}
