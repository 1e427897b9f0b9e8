import type { NewEvent } from '@app/contracts';
import { AppError, newId } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { documentSchema } from '@app/runtime';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';
import { notificationEvents, type PlacesAbove } from '../tickets/lifecycle/ticket-notifications.ts';
import type { NoteWriter } from '../tickets/stores/ticket-store.ts';
import { createTicketTimes } from '../tickets/stores/ticket-times-store.ts';
import type { NoteDraft, Ticket } from '../tickets/ticket.ts';
import { plainText } from './mention.ts';
import { type Note, noteAdded, notesPerTicket } from './note.ts';
import { toldOfNote, type Writer } from './note-notifications.ts';

type AddOptions = { write: ProtectedWrite | null; permit: (ticket: Ticket) => void };

export type NoteStore = NoteWriter & {
  /** Every note of a ticket, oldest first: at most 1,000. */
  list(ticketId: string): Promise<Note[]>;
  /**
   * Writes a note with its event. `write`: of the request. `permit` is called with the current ticket, and throws if it takes no
   * note.
   * @throws AppError unprocessable `ticket_too_many`, and what `permit` throws
   */
  add(ticket: Ticket, draft: NoteDraft, options: AddOptions): Promise<Note>;
};

type StoredNote = Note & WithOutbox;

const noteSchema = documentSchema<StoredNote>('notes');
addOutbox(noteSchema);
noteSchema.index({ ticket_id: 1, created_at: 1, _id: 1 }, { name: 'ticket' });

type Deps = { connection: Connection; relay: Relay; now: () => Date; placesAbove: PlacesAbove };

export function createNoteStore({ connection, relay, now, placesAbove }: Deps): NoteStore {
  const model = connection.model<StoredNote>('Note', noteSchema);
  const times = createTicketTimes({ connection, now });
  relay.watch(model);

  /** Who wrote notes of a ticket, each once. */
  async function writersOf(ticketId: string): Promise<Writer[]> {
    const $group = { _id: { company_id: '$company_id', user_id: '$author._id' } };
    const found = await model.aggregate<{ _id: Writer }>([{ $match: { ticket_id: ticketId } }, { $group }]);
    return found.map(({ _id }) => _id);
  }

  async function eventsOf(ticket: Ticket, draft: NoteDraft, at: Date): Promise<NewEvent[]> {
    const told = toldOfNote(ticket, draft, at, await writersOf(ticket._id));
    const placeIds = told.length === 0 ? [] : await placesAbove(ticket);
    return [noteAdded(ticket, draft, at), ...notificationEvents(ticket, told, { by: draft.author, placeIds, at })];
  }

  return {
    list(ticketId) {
      const found = model.find({ ticket_id: ticketId }, { outbox: 0 });
      return found.sort({ created_at: 1, _id: 1 }).limit(notesPerTicket).lean<Note[]>().exec();
    },
    async add(found, draft, { write, permit }) {
      const { note, outbox } = await writeOnceIn(write, connection, async (within) => {
        permit(found);
        // First the count, then the note: a crash in between leaves one note less to write, never
        // one too many. The count is in no transaction: people who write to one ticket at once
        // would abort each other's transactions.
        const ticket = await times.reserveNote(found._id, notesPerTicket);
        if (!ticket) throw tooManyNotes();
        permit(ticket);
        const note = noteOf(ticket, draft);
        const outbox = toCloudEvents('ticket', await eventsOf(ticket, draft, note.created_at));
        await model.create([{ ...note, outbox }], within);
        return { note, outbox };
      });
      relay.committed(model, note._id, outbox);
      // The time moves once more, after the note can be read: a client that polls for changes may
      // have read in between.
      await times.advanceTo(found._id, note.created_at);
      return note;
    },
    async insert(ticket, drafts, session) {
      await model.insertMany(
        drafts.map((draft) => noteOf(ticket, draft)),
        { session },
      );
    },
    async events(ticket, drafts) {
      // A reason mentions nobody: nobody has looked whether they may read it.
      const plain = drafts.map((draft) => ({ ...draft, text: plainText(draft.text) }));
      return (await Promise.all(plain.map((draft) => eventsOf(ticket, draft, ticket.updated_at)))).flat();
    },
  };
}

function noteOf({ _id, updated_at: at }: Ticket, { text, type, author }: NoteDraft): Note {
  return {
    _id: newId(at),
    ticket_id: _id,
    company_id: author.company_id,
    note: text,
    type,
    author,
    created_at: at,
  };
}

function tooManyNotes(): AppError {
  return new AppError('unprocessable', 'ticket_too_many', `a ticket holds at most ${notesPerTicket} notes`);
}
