import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Autocomplete, type Key, ListBox, Popover } from 'react-aria-components';
import { flushSync } from 'react-dom';
import { call, tickets } from '../../../api/client.ts';
import { optionOf } from '../../../components/forms/choice.tsx';
import styles from '../../../components/forms/field.module.css';
import { Field } from '../../../components/forms/field.tsx';
import { useSettled } from '../../../components/forms/use-settled.ts';
import { useTexts } from '../texts.ts';
import { type Note, pathOf } from '../tickets.ts';
import { type Mentioned, type Typed, typedName } from './mentions.ts';

type MentionFieldProps = {
  ticketId: string;
  /** Who will read the note: nobody else is suggested. */
  type: Note['type'];
  value: string;
  onChange: (text: string) => void;
  onMention: (person: Mentioned) => void;
};

/** The text of a note: `@` and the beginning of a name suggest whom it may mention. */
export function MentionField({ ticketId, type, value, onChange, onMention }: MentionFieldProps) {
  const texts = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState<Typed | null>(null);
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const isAsked = typed !== null && typed.at !== closedAt;
  const wanted = { type, q: useSettled(typed?.q ?? '') };
  const { data: people } = useQuery({
    queryKey: ['mentionable', ticketId, wanted],
    queryFn: ({ signal }) => readPeople(ticketId, wanted, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const isOpen = isAsked && people !== undefined && (people.length > 0 || !typed.q.includes(' '));
  const area = () => box.current?.querySelector('textarea');
  const change = (text: string) => {
    onChange(text);
    const found = typedName(text.slice(0, area()?.selectionEnd));
    setTyped(found);
    if (found === null) setClosedAt(null);
  };
  const close = () => setClosedAt(typed?.at ?? null);
  const choose = (id: Key) => {
    const person = people?.find((one) => one.id === id);
    if (!person || !typed) return;
    const written = `${value.slice(0, typed.at)}@${person.name} `;
    flushSync(() => onChange(written + value.slice(typed.at + 1 + typed.q.length).replace(/^ /, '')));
    onMention(person);
    close();
    area()?.focus();
    area()?.setSelectionRange(written.length, written.length);
  };
  return (
    <Autocomplete inputValue={value} onInputChange={change}>
      <div ref={box}>
        <Field
          label={texts.note}
          hint={texts.mentionHint}
          name="note"
          isArea
          isRequired
          maxLength={10_000}
          // React Aria turns these off for a field with suggestions; this one is for prose.
          spellCheck="true"
          autoCorrect="on"
          enterKeyHint="enter"
          onKeyDown={({ key }) => key === 'Escape' && close()}
          // React Aria tells of a blur, too, when it moves to a suggestion; a press on one takes the focus nowhere.
          onBlur={({ isTrusted, relatedTarget }) => isTrusted && relatedTarget && close()}
        />
      </div>
      <Popover
        isNonModal
        isOpen={isOpen}
        onOpenChange={close}
        triggerRef={box}
        placement="bottom start"
        className={styles['popover'] as string}
      >
        <ListBox
          items={(people ?? []).map(({ id, name }) => ({ id, text: name }))}
          onAction={choose}
          renderEmptyState={() => <div className={styles['none']}>{texts.nobodyToMention}</div>}
          className={styles['options'] as string}
        >
          {optionOf}
        </ListBox>
      </Popover>
    </Autocomplete>
  );
}

async function readPeople(ticketId: string, query: { type: Note['type']; q: string }, signal: AbortSignal) {
  const params = { ...pathOf(ticketId).params, query };
  const request = tickets.GET('/api/v3.0/tickets/{ticket_id}/mentionable-users', { params, signal });
  return (await call(request)).users.map(({ _id, firstName, lastName }): Mentioned => {
    return { id: _id, name: `${firstName} ${lastName}`.replace(/[[\]]/g, ' ').trim() };
  });
}
