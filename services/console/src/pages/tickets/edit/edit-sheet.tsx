import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Form } from '../../../components/forms/form.tsx';
import { Sheet } from '../../../components/overlays/overlay.tsx';
import states from '../../../components/states.module.css';
import { Loaded } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import { actorName } from '../actor-name.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { changesOf, type Draft, differences } from './draft.ts';
import { EditFields } from './edit-fields.tsx';
import { type Meanwhile, useEdit, type Versioned } from './edit-ticket.ts';
import { useTicketValues } from './ticket-values.ts';

const shownEvents = 5;

/** Who changed the ticket while the form was open, and what. */
function ConflictNote({ before, after, events }: Meanwhile) {
  const texts = useTexts();
  const valuesIn = useTicketValues();
  const words: Record<string, string> = texts.happened;
  const what = differences(valuesIn(before), valuesIn(after));
  return (
    <div className={states['note']} role="alert">
      <TriangleAlert size={16} aria-hidden="true" />
      <div>
        <strong>{texts.conflict}. </strong>
        {texts.editKept}
        <ul aria-label={texts.conflict}>
          {events.slice(0, shownEvents).map(({ _id, by, operation }) => (
            <li key={_id}>{texts.didWhat(by ? actorName(by, after) : '', words[operation] ?? texts.changed)}</li>
          ))}
          {what.map(({ name, before: was, after: is }) => (
            <li key={name}>{texts.becameWhat(name, was || texts.none, is || texts.none)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/**
 * The form that changes the fields of a ticket. If others changed the ticket meanwhile, it shows
 * what they did, and keeps what was entered.
 */
export function EditSheet({ ticket: { _id: id, number }, onClose }: { ticket: Ticket; onClose: () => void }) {
  const texts = useTexts();
  const { query, save, undo, meanwhile } = useEdit(id);
  const [draft, setDraft] = useState<Draft>({});
  const submit = (base: Versioned) => {
    const changes = changesOf(base.ticket, draft);
    if (Object.keys(changes).length === 0) return onClose();
    const done = (saved: Versioned | null) => {
      if (!saved) return;
      announce(texts.edited(number), { undo: () => undo(saved, base.ticket, changes) });
      onClose();
    };
    save.mutate({ base, changes }, { onSuccess: done });
  };
  return (
    <Sheet title={texts.editOf(number)} isOpen onOpenChange={onClose}>
      <Loaded query={query}>
        {(base) => (
          <Form submit={texts.save} sending={save} onSubmit={() => submit(base)} onCancel={onClose}>
            <EditFields ticket={base.ticket} draft={draft} onChange={setDraft} />
            {meanwhile && <ConflictNote {...meanwhile} />}
          </Form>
        )}
      </Loaded>
    </Sheet>
  );
}
