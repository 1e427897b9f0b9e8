import { TriangleAlert } from 'lucide-react';
import states from '../../../components/states.module.css';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { useTexts } from '../texts.ts';
import { doerOf } from '../timeline/doer.ts';
import { differences } from './draft.ts';
import type { Meanwhile } from './edit-ticket.ts';
import { useFacts } from './facts.ts';

const shownEvents = 5;

/** Who changed the ticket while the form was open, and what. */
export function MeanwhileNote({ before, after, events }: Meanwhile) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const factsOf = useFacts();
  const words: Record<string, string> = texts.happened;
  const what = differences(factsOf(before), factsOf(after));
  return (
    <div className={states['note']} role="alert">
      <TriangleAlert size={16} aria-hidden="true" />
      <div>
        <strong>{frame.conflict}. </strong>
        {texts.editKept}
        <ul aria-label={frame.conflict}>
          {events.slice(0, shownEvents).map(({ _id, by, operation }) => (
            <li key={_id}>{texts.didWhat(by ? doerOf(by, after) : '', words[operation] ?? texts.changed)}</li>
          ))}
          {what.map(({ name, before: was, after: is }) => (
            <li key={name}>{texts.becameWhat(name, was || frame.none, is || frame.none)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
