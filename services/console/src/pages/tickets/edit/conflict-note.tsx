import { TriangleAlert } from 'lucide-react';
import states from '../../../components/states.module.css';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { actorName } from '../actor-name.ts';
import { useTexts } from '../texts.ts';
import { differences } from './draft.ts';
import type { Meanwhile } from './edit-ticket.ts';
import { useTicketValues } from './ticket-values.ts';

const shownEvents = 5;

/** Who changed the ticket while the form was open, and what. */
export function ConflictNote({ before, after, events }: Meanwhile) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const valuesIn = useTicketValues();
  const words: Record<string, string> = texts.happened;
  const what = differences(valuesIn(before), valuesIn(after));
  return (
    <div className={states['note']} role="alert">
      <TriangleAlert size={16} aria-hidden="true" />
      <div>
        <strong>{frame.conflict}. </strong>
        {texts.editKept}
        <ul aria-label={frame.conflict}>
          {events.slice(0, shownEvents).map(({ _id, by, operation }) => (
            <li key={_id}>{texts.didWhat(by ? actorName(by, after) : '', words[operation] ?? texts.changed)}</li>
          ))}
          {what.map(({ name, before: was, after: is }) => (
            <li key={name}>{texts.becameWhat(name, was || frame.none, is || frame.none)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
