import { useState } from 'react';
import { Form } from '../../../components/forms/form.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { Sheet } from '../../../components/overlays/overlay.tsx';
import { Loaded } from '../../../components/states.tsx';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { ConflictNote } from './conflict-note.tsx';
import { changesOf, type Draft } from './draft.ts';
import { EditFields } from './edit-fields.tsx';
import { useEdit, type Versioned } from './edit-ticket.ts';

/**
 * The form that changes the fields of a ticket. If others changed the ticket meanwhile, it shows
 * what they did, and keeps what was entered.
 */
export function EditSheet({ ticket: { _id: id, number }, onClose }: { ticket: Ticket; onClose: () => void }) {
  const texts = useTexts();
  const frame = useFrameTexts();
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
  const actions = <FormActions onCancel={onClose} submit={frame.save} isPending={save.isPending} />;
  return (
    <Sheet title={texts.editOf(number)} isOpen onOpenChange={onClose}>
      <Loaded query={query}>
        {(base) => (
          <Form error={save.error} onSubmit={() => submit(base)} actions={actions}>
            <EditFields ticket={base.ticket} draft={draft} onChange={setDraft} />
            {meanwhile && <ConflictNote {...meanwhile} />}
          </Form>
        )}
      </Loaded>
    </Sheet>
  );
}
