import { useState } from 'react';
import { ComboBox, RadioGroup, Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { FormSheet } from '../../../components/overlays/form-sheet.tsx';
import { useFoundInvoices } from '../data/invoice-queries.ts';
import { type Concluded, conclusionOutcomes, isRefusalTold, refusalCodes } from '../rules/conclusion.ts';
import type { Invoice } from '../rules/invoice.ts';
import { useTexts } from '../texts.ts';

type ConcludeSheetProps = { invoice: Invoice; onConclude: (concluded: Concluded) => void; onClose: () => void };

/** Asks why an invoice goes on no ticket. What is missing keeps the button from being pressed. */
export function ConcludeSheet({ invoice, onConclude, onClose }: ConcludeSheetProps) {
  const texts = useTexts();
  const twin = invoice.related.find(({ relation }) => relation === 'duplicate' || relation === 'same_number');
  const [outcome, setOutcome] = useState<Concluded['outcome']>(twin ? 'duplicate_of' : 'no_ticket');
  const outcomes = conclusionOutcomes.filter((one) => one !== 'refused' || !isRefusalTold(invoice));
  const [reason, setReason] = useState('');
  const [code, setCode] = useState<(typeof refusalCodes)[number] | null>(null);
  const [original, setOriginal] = useState<string | null>(twin?.id ?? null);
  const concluded = concludedOf(outcome, { reason: reason.trim(), code, invoiceId: original });
  return (
    <FormSheet
      title={texts.concludeTitle(invoice.number ?? invoice.externalId)}
      onClose={onClose}
      submit={texts.conclusions[outcome]}
      isDisabled={!concluded}
      onSubmit={() => concluded && onConclude(concluded)}
    >
      <RadioGroup
        label={texts.concludeHow}
        value={outcome}
        onChange={(value) => setOutcome(value as Concluded['outcome'])}
        options={outcomes.map((id) => ({
          id,
          text: texts.conclusions[id],
          hint: texts.conclusionHints[id],
        }))}
      />
      {outcome === 'duplicate_of' && <Original invoice={invoice} chosen={original} onChoose={setOriginal} />}
      {outcome === 'refused' && (
        <Select
          label={texts.tellReason}
          options={refusalCodes.map((id) => ({ id, text: texts.statusReasons[id] }))}
          value={code}
          onChange={(id) => setCode(refusalCodes.find((one) => one === id) ?? null)}
        />
      )}
      <Field label={texts.concludeReason} isArea isRequired maxLength={500} value={reason} onChange={setReason} />
    </FormSheet>
  );
}

type Given = { reason: string; code: (typeof refusalCodes)[number] | null; invoiceId: string | null };

function concludedOf(outcome: Concluded['outcome'], { reason, code, invoiceId }: Given): Concluded | null {
  if (reason === '') return null;
  if (outcome === 'no_ticket') return { outcome, reason };
  if (outcome === 'refused') return code && { outcome, reason, code };
  return invoiceId === null ? null : { outcome, reason, invoiceId };
}

type OriginalProps = { invoice: Invoice; chosen: string | null; onChoose: (id: string | null) => void };

/** The invoice that it duplicates: one that resembles it, or one that is found by its number. */
function Original({ invoice, chosen, onChoose }: OriginalProps) {
  const texts = useTexts();
  const [text, setText] = useState('');
  const { data: found = [] } = useFoundInvoices(text);
  const related = invoice.related.map(({ id, number }) => ({ id, text: number ?? texts.unnumbered }));
  const others = found.map(({ id, number, supplier }) => ({
    id,
    text: number ?? texts.unnumbered,
    ...(supplier.name !== null && { hint: supplier.name }),
  }));
  const options = [...new Map([...related, ...others].map((one) => [one.id, one])).values()];
  return (
    <ComboBox
      label={texts.duplicateOf}
      hint={texts.duplicateOfHint}
      isRequired
      isSearched
      options={options.filter(({ id }) => id !== invoice.id)}
      value={chosen}
      onChange={(id) => onChoose(id === null ? null : String(id))}
      onInputChange={setText}
    />
  );
}
