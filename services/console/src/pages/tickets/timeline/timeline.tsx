import { Children, type ReactNode } from 'react';
import { classes } from '../../../components/classes.ts';
import { Badge, StatusBadge } from '../../../components/data-display/badge.tsx';
import { DateTime } from '../../../components/data-display/values.tsx';
import type { Picture } from '../../../components/pictures/picture.ts';
import { Pictures, Thumbnail } from '../../../components/pictures/pictures.tsx';
import { Loaded } from '../../../components/states.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import type { Family } from '../../../words/family.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import { actorName } from '../actor-name.ts';
import { useFieldsText } from '../edit/ticket-values.ts';
import type { Ticket } from '../list-query.ts';
import { useIntervalText } from '../moves/move-words.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { type HistoryItem, type Note, useDocuments, useHistory, useNotes } from '../tickets.ts';
import { type Mentioned, piecesOf } from './mentions.ts';
import { movedInWords, quoteInWords, timelineOf } from './timeline-entries.ts';
import { picturesOf } from './timeline-pictures.ts';

const noteFamilies: Record<Note['type'], Family> = { public: 'info', internal: 'warning', managers: 'progress' };

export function Timeline({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const history = useHistory(ticket._id);
  const notes = useNotes(ticket._id);
  return (
    <Section id="timeline" title={texts.timeline}>
      <Loaded query={history} rows={4}>
        {(items) => (
          <Loaded query={notes} rows={4}>
            {(written) => <Entries entries={timelineOf(items, written)} ticket={ticket} />}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

function Entries({ entries, ticket }: { entries: ReturnType<typeof timelineOf>; ticket: Ticket }) {
  const texts = useTexts();
  const { data: documents = [] } = useDocuments(ticket._id);
  const byEvent = picturesOf(entries, ticket, documents);
  const listed = (open: (picture: Picture) => void) => (
    <ol aria-label={texts.timeline} className={styles['timeline']}>
      {entries.map((entry) =>
        entry.kind === 'note' ? (
          <NoteEntry key={entry.note._id} note={entry.note} ticket={ticket} />
        ) : (
          <EventEntry key={`${entry.event.at} ${entry.event._id}`} event={entry.event} ticket={ticket}>
            <PictureOf picture={byEvent.get(entry.event)} onOpen={open} />
          </EventEntry>
        ),
      )}
    </ol>
  );
  return <Pictures pictures={[...byEvent.values()]}>{listed}</Pictures>;
}

function PictureOf({ picture, onOpen }: { picture: Picture | undefined; onOpen: (picture: Picture) => void }) {
  return picture && <Thumbnail picture={picture} onOpen={onOpen} />;
}

function NoteEntry({ note, ticket }: { note: Note; ticket: Ticket }) {
  const texts = useTexts();
  return (
    <li className={classes(styles['entry'], styles['noteEntry'], styles[note.type])}>
      <div className={styles['entryHead']}>
        <strong>{actorName(note.author, ticket)}</strong>
        <Badge family={noteFamilies[note.type]}>{texts.noteTypes[note.type]}</Badge>
        <span className={styles['small']}>
          <DateTime value={note.created_at} />
        </span>
      </div>
      <p className={styles['text']}>{Children.toArray(piecesOf(note.note).map(shown))}</p>
    </li>
  );
}

function shown(piece: string | Mentioned): ReactNode {
  return typeof piece === 'string' ? piece : <strong>@{piece.name}</strong>;
}

function EventEntry({ event, ticket, children }: { event: HistoryItem; ticket: Ticket; children: ReactNode }) {
  const texts = useTexts();
  const intervalText = useIntervalText();
  const fieldsText = useFieldsText();
  const where = useLocale();
  const purchaseKinds: Record<string, string> = texts.purchaseKinds;
  const purchaseText = (text: string) => text.replace(/^\w+/, (kind) => purchaseKinds[kind] ?? kind);
  const quoteText = (text: string) => quoteInWords(text, where.locale);
  const inWords: Record<string, (text: string) => string> = {
    edit: fieldsText,
    add_purchase: purchaseText,
    remove_purchase: purchaseText,
    add_quote: quoteText,
    validate_quote: quoteText,
    decline_quote: quoteText,
    move_due_date: (text) => movedInWords(text, texts.deadlines.names, where),
  };
  const textOf = inWords[event.operation] ?? intervalText;
  const words: Record<string, string> = texts.happened;
  return (
    <li className={styles['entry']}>
      <div className={styles['entryHead']}>
        <span title={event.operation}>{words[event.operation] ?? texts.changed}</span>
        {event.to && <StatusBadge words={ticketStatuses} code={event.to} />}
        <span className={styles['small']}>
          {event.by && `${actorName(event.by, ticket)}, `}
          <DateTime value={event.at} />
        </span>
      </div>
      {event.text && <p className={styles['text']}>{textOf(event.text)}</p>}
      {children}
    </li>
  );
}
