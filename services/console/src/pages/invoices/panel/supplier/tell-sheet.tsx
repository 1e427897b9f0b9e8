import { useState } from 'react';
import { readingsOf } from '../../../../components/forms/amount.ts';
import { AmountField } from '../../../../components/forms/amount-field.tsx';
import { RadioGroup, Select } from '../../../../components/forms/choice.tsx';
import { Field } from '../../../../components/forms/field.tsx';
import { FormSheet } from '../../../../components/overlays/form-sheet.tsx';
import { ProviderErrorText } from '../../../../components/provider-error-text.tsx';
import type { Invoice } from '../../rules/invoice.ts';
import { requestedActions, type Sendable, type StatusDetails, type Told, toldOf } from '../../rules/telling.ts';
import { useTexts } from '../../texts.ts';

type TellSheetProps = { invoice: Invoice; onTell: (told: Told) => void; onClose: () => void };

const nothing: StatusDetails = { reason: null, note: '', amount: null, date: null, action: null };

/** Asks what the supplier is told: only what the API takes now. What is missing keeps the button from being pressed. */
export function TellSheet({ invoice, onTell, onClose }: TellSheetProps) {
  const texts = useTexts();
  const { sendable, suggested, receivesAt, directoryFailure } = invoice.supplierStatus;
  const [status, setStatus] = useState<Sendable['status'] | null>(suggested);
  const [details, setDetails] = useState(nothing);
  const set = (given: Partial<StatusDetails>) => setDetails((before) => ({ ...before, ...given }));
  const chosen = sendable.find((one) => one.status === status) ?? null;
  const told = chosen && toldOf(chosen, details);
  return (
    <FormSheet
      title={texts.tellTitle(invoice.number ?? invoice.externalId)}
      onClose={onClose}
      submit={texts.tellNow}
      isDisabled={!told}
      onSubmit={() => told && onTell(told)}
    >
      {receivesAt !== null && <p>{texts.receivesAt(receivesAt)}</p>}
      {directoryFailure !== null && (
        <>
          <p>{texts.directoryFailure}</p>
          <ProviderErrorText said={directoryFailure} />
        </>
      )}
      <RadioGroup
        label={texts.tellWhat}
        value={status ?? ''}
        onChange={(value) => {
          setStatus(value as Sendable['status']);
          set({ reason: null, action: null });
        }}
        options={sendable.map((one) => ({
          id: one.status,
          text: texts.statuses[one.status],
          hint: one.status === suggested ? texts.statusSuggested : texts.statusHints[one.status],
        }))}
      />
      {chosen && <Details chosen={chosen} details={details} set={set} />}
    </FormSheet>
  );
}

/** Null for what is no amount above zero, or may be two. */
function amountIn(text: string): number | null {
  const [amount, other] = readingsOf(text).map(Number);
  return amount !== undefined && amount > 0 && other === undefined ? amount : null;
}

type DetailsProps = { chosen: Sendable; details: StatusDetails; set: (given: Partial<StatusDetails>) => void };

function Details({ chosen, details, set }: DetailsProps) {
  const texts = useTexts();
  const { status, reasons, needs, takes } = chosen;
  const has = (field: keyof StatusDetails) => needs.includes(field) || takes.includes(field);
  return (
    <>
      {has('reason') && (
        <Select
          label={texts.tellReason}
          options={reasons.map((id) => ({ id, text: texts.statusReasons[id] }))}
          value={details.reason}
          onChange={(id) => set({ reason: reasons.find((one) => one === id) ?? null })}
        />
      )}
      {has('amount') && (
        <AmountField
          label={status === 'payment_sent' ? texts.tellPaid : texts.tellPart}
          isRequired={needs.includes('amount')}
          onChange={(text) => set({ amount: amountIn(text) })}
        />
      )}
      {has('date') && (
        <Field
          label={texts.tellDate}
          type="date"
          isRequired
          value={details.date ?? ''}
          onChange={(day) => set({ date: day || null })}
        />
      )}
      {has('action') && (
        <Select
          label={texts.tellAction}
          options={requestedActions.map((id) => ({ id, text: texts.requestedActions[id] }))}
          value={details.action}
          onChange={(id) => set({ action: requestedActions.find((one) => one === id) ?? null })}
        />
      )}
      {has('note') && (
        <Field
          label={status === 'suspended' ? texts.tellMissing : texts.tellNote}
          isArea
          isRequired={needs.includes('note')}
          maxLength={500}
          value={details.note ?? ''}
          onChange={(note) => set({ note })}
        />
      )}
    </>
  );
}
