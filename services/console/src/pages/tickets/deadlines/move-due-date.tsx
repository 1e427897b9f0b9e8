import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, tickets } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { textOf } from '../../../components/forms/form-values.ts';
import { FormSheet } from '../../../components/overlays/form-sheet.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { localInput, momentOf } from '../../../routing/local-moment.ts';
import { announce } from '../../../session/actions.ts';
import { useTexts } from '../texts.ts';
import { pathOf, refreshTicket } from '../tickets.ts';

type Props = { ticketId: string; clock: 'response' | 'arrival' | 'finish'; dueAt: string };
type Wanted = { due_at: string; reason: string };

/** A button, and the sheet that moves a due date with a reason that both parties read. */
export function MoveDueDate({ ticketId, clock, dueAt }: Props) {
  const { deadlines: texts } = useTexts();
  const { timeZone } = useLocale();
  const [isOpen, setOpen] = useState(false);
  const name = texts.names[clock];
  const move = useMutation({
    mutationFn: (wanted: Wanted) =>
      call(tickets.PUT('/api/v3.0/tickets/{ticket_id}/due-date', { ...pathOf(ticketId), body: { clock, ...wanted } })),
    onSuccess: () => {
      announce(texts.moved(name));
      setOpen(false);
    },
    onSettled: () => refreshTicket(ticketId),
  });
  const close = () => {
    move.reset();
    setOpen(false);
  };
  const submit = (values: FormData) =>
    move.mutate({
      due_at: momentOf(textOf(values, 'due_at') ?? '', timeZone) ?? '',
      reason: textOf(values, 'reason') ?? '',
    });
  return (
    <>
      <Button variant="quiet" aria-label={texts.moveOf(name)} onPress={() => setOpen(true)}>
        {texts.move}
      </Button>
      <FormSheet
        title={texts.moveOf(name)}
        isOpen={isOpen}
        onClose={close}
        submit={texts.move}
        sending={move}
        onSubmit={submit}
      >
        <Field
          label={texts.newDueDate}
          name="due_at"
          type="datetime-local"
          isRequired
          defaultValue={localInput(dueAt, timeZone)}
        />
        <Field label={texts.reason} name="reason" hint={texts.reasonHint} isRequired maxLength={200} />
      </FormSheet>
    </>
  );
}
