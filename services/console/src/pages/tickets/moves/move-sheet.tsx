import { type ReactNode, useState } from 'react';
import { Select } from '../../../components/forms/choice.tsx';
import { textOf } from '../../../components/forms/form.tsx';
import { amountIn } from '../../../components/forms/form-values.ts';
import { FormSheet } from '../../../components/overlays/form-sheet.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { momentOf } from '../../../routing/local-moment.ts';
import { announce } from '../../../session/actions.ts';
import { useTexts } from '../texts.ts';
import { UploadField } from '../uploads/upload-field.tsx';
import {
  ContractorField,
  ContractorsField,
  DateFields,
  everyDate,
  QuoteFields,
  ReasonField,
  RescheduleField,
} from './move-fields.tsx';
import { type AskProps, useMoveDone, useMoveName } from './move-words.ts';
import { type Ask, askedBy, keyOf, type Move, reasonField, takesReport } from './moves.ts';
import { useMove } from './send-move.ts';

/** `others`: moves that ask the same, and may be chosen instead. `day`: on which a plan is at first. `zone`: of its times. */
type Props = AskProps & { others?: readonly Move[]; day?: string | undefined; zone?: string | undefined };

/** The form of a move. If the API refuses the move, it stays open with its input. */
export function MoveSheet({ ticket, move: first, others = [], day, zone, onClose }: Props) {
  const texts = useTexts();
  const own = useLocale().timeZone;
  const timeZone = zone ?? own;
  const [move, choose] = useState(first);
  const nameOf = useMoveName(ticket);
  const name = nameOf(move);
  const doneOf = useMoveDone(ticket);
  const send = useMove(ticket._id);
  const [file, setFile] = useState<File | null>(null);
  const ask = askedBy(move, ticket.status);
  const submit = (values: FormData) => {
    const isReport = takesReport(move);
    const body = { ...bodyOf({ move, ask, timeZone }, values), ...(ask === 'quote' && file && { file }) };
    const done = () => {
      announce(doneOf(move), { href: `/tickets/${ticket._id}` });
      onClose();
    };
    send.mutate({ move, body, report: isReport ? file : null }, { onSuccess: done });
  };
  const upload = { file, onChange: setFile, error: send.error };
  const fields: Partial<Record<typeof ask, ReactNode>> = {
    contractors: <ContractorsField />,
    contractor: <ContractorField />,
    reason: <ReasonField move={move} />,
    reschedule: <RescheduleField ticketId={ticket._id} />,
    dates: <DateFields ticketId={ticket._id} move={move} day={day} timeZone={timeZone} />,
    quote: <QuoteFields ticket={ticket} needsContractor={move.needs.includes('contractor_id')} />,
  };
  return (
    <FormSheet
      title={texts.moved(name, ticket.number)}
      onClose={onClose}
      submit={name}
      sending={send}
      onSubmit={submit}
    >
      {others.length > 0 && (
        <Select
          label={texts.whatToPlan}
          options={[first, ...others].map((one) => ({ id: keyOf(one), text: nameOf(one) }))}
          value={keyOf(move)}
          onChange={(key) => choose(others.find((one) => keyOf(one) === key) ?? first)}
        />
      )}
      {timeZone !== own && <p>{texts.timesIn(timeZone)}</p>}
      {fields[ask]}
      {ask === 'quote' && <UploadField {...upload} label={texts.quoteFile} isOptional />}
      {takesReport(move) && <UploadField {...upload} label={texts.report} isOptional />}
    </FormSheet>
  );
}

type Asked = { move: Move; ask: Ask; timeZone: string };

/** The request body of the input. Missing fields are not checked here: the API names them. */
function bodyOf({ move, ask, timeZone }: Asked, values: FormData): Record<string, unknown> {
  const momentIn = (name: string) => momentOf(textOf(values, name) ?? '', timeZone) ?? undefined;
  switch (ask) {
    case 'contractors':
      return { contractor_ids: values.getAll('contractor_ids') };
    case 'contractor':
      return { contractor_id: textOf(values, 'contractor_id') };
    case 'reason':
      return { [reasonField(move)]: textOf(values, reasonField(move)) };
    case 'reschedule':
      return { date_id: chosenDate(values) };
    case 'dates':
      return { start: momentIn('start'), end: momentIn('end') };
    case 'quote':
      return {
        reference: textOf(values, 'reference'),
        price: amountIn(values, 'price'),
        includes_vat: textOf(values, 'includes_vat'),
        contractor_id: textOf(values, 'contractor_id'),
      };
    default:
      return {};
  }
}

function chosenDate(values: FormData): string | undefined {
  const chosen = textOf(values, 'date_id');
  return chosen === everyDate ? undefined : chosen;
}
