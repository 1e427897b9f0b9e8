import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { localInput, momentOf } from '../../routing/local-moment.ts';
import { announce } from '../../session/actions.ts';
import { type AgendaEntry, useMoveDate } from './agenda.ts';
import { useTexts } from './texts.ts';

/** `day`: where the date was dropped. */
type Props = { entry: AgendaEntry; day: string | undefined; onClose: () => void };

export function MoveDate({ entry, day, onClose }: Props) {
  const texts = useTexts();
  const { timeZone } = useLocale();
  const move = useMoveDate(entry);
  const { number } = entry.ticket;
  const zone = entry.time_zone ?? timeZone;
  const [before = '', time = ''] = localInput(entry.start, zone).split('T');
  const submit = (values: FormData) => {
    const start = momentOf(textOf(values, 'start') ?? '', zone);
    const done = () => {
      announce(texts.moved(number), { href: `/tickets/${entry.ticket._id}` });
      onClose();
    };
    if (start) move.mutate(start, { onSuccess: done });
  };
  return (
    <FormSheet title={texts.moveNamed(number)} onClose={onClose} submit={texts.move} sending={move} onSubmit={submit}>
      <Field
        label={zone === timeZone ? texts.start : texts.startIn(zone)}
        name="start"
        type="datetime-local"
        isRequired
        defaultValue={`${day ?? before}T${time}`}
        hint={texts.moveHint}
        autoFocus
      />
    </FormSheet>
  );
}
