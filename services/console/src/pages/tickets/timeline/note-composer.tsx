import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, tickets } from '../../../api/client.ts';
import { classes } from '../../../components/classes.ts';
import { RadioGroup } from '../../../components/forms/choice.tsx';
import { Form, textOf } from '../../../components/forms/form.tsx';
import { announce } from '../../../session/actions.ts';
import { useSession } from '../../../session/session.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { type Note, pathOf, refreshTicket } from '../tickets.ts';
import { MentionField } from './mention-field.tsx';
import { type Mentioned, withMentions } from './mentions.ts';
import { noteReaders } from './note-readers.ts';

const types = ['public', 'internal', 'managers'] as const satisfies readonly Note['type'][];

/** Writes a note. Before it is sent, the names of the companies that will read it are shown. */
export function NoteComposer({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const { company } = useSession();
  const [type, setType] = useState<Note['type']>('public');
  const [text, setText] = useState('');
  const mentioned = useRef<Mentioned[]>([]);
  const add = useMutation({
    mutationFn: ({ note }: { note: string; written: string }) =>
      call(tickets.POST('/api/v3.0/tickets/{ticket_id}/notes', { ...pathOf(ticket._id), body: { note, type } })),
    onSuccess: (_, { written }) => {
      // Text that was written meanwhile stays.
      setText((now) => (now === written ? '' : now));
      announce(texts.noteAdded);
    },
    onSettled: () => refreshTicket(ticket._id),
  });
  const submit = (values: FormData) =>
    add.mutate({ note: withMentions(textOf(values, 'note') ?? '', mentioned.current), written: text });
  const readers = noteReaders(type, ticket, company.name);
  return (
    <div className={classes(styles['composer'], styles[type])} data-screen>
      <Form submit={texts.addNote} sending={add} onSubmit={submit}>
        <MentionField
          ticketId={ticket._id}
          type={type}
          value={text}
          onChange={setText}
          onMention={(person) => mentioned.current.push(person)}
        />
        <RadioGroup
          label={texts.visibleTo}
          look="segments"
          options={types.map((id) => ({ id, text: texts.noteTypes[id] }))}
          value={type}
          onChange={(id) => setType(types.find((one) => one === id) ?? 'public')}
        />
        <p className={styles['small']}>{readers === null ? texts.readByManagers : texts.readBy(readers.join(', '))}</p>
      </Form>
    </div>
  );
}
