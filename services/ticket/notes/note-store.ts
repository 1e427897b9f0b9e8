import type { NewEvent } from '@app/contracts';
import { AppError, newId } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { NoteDraft, Ticket } from '../tickets/ticket.ts';
import { createTicketTimes } from '../tickets/ticket-times-store.ts';
import { type Note, noteAdded, notesPerTicket } from './note.ts';

export type NoteStore = {
  /** Every note of a ticket, oldest first: at most 1,000. */
  list(ticketId: string): Promise<Note[]>;
  /**
   * Writes a note with what it tells, on the ticket as it is by then: `permit` throws where it takes none.
   * @throws AppError unprocessable `ticket_too_many`
   */
  add(ticket: Ticket, draft: NoteDraft, permit: (ticket: Ticket) => void): Promise<Note>;
  /** Writes notes within the transaction that counts them on their ticket and tells of them. */
  insert(ticket: Ticket, drafts: NoteDraft[], session: ClientSession): Promise<void>;
  /** What notes tell. */
  events(ticket: Ticket, drafts: NoteDraft[]): NewEvent[];
};

const noteSchema = new Schema<Note & WithOutbox>(
  { _id: { type: String, required: true }, ticket_id: { type: String, required: true } },
  { versionKey: false, collection: 'notes', strict: false },
);
addOutbox(noteSchema);
noteSchema.index({ ticket_id: 1, created_at: 1, _id: 1 }, { name: 'ticket' });

type Deps = { connection: Connection; relay: Relay; now: () => Date };

export function createNoteStore({ connection, relay, now }: Deps): NoteStore {
  const model = connection.model<Note & WithOutbox>('Note', noteSchema);
  const times = createTicketTimes({ connection, now });
  relay.watch(model);
  return {
    list: (ticketId) =>
      model
        .find({ ticket_id: ticketId }, { outbox: 0 })
        .sort({ created_at: 1, _id: 1 })
        .limit(notesPerTicket)
        .lean<Note[]>(),
    async add(found, draft, permit) {
      permit(found);
      // Its place first, then the note: what a crash leaves in between is one place less, never a note too many. No
      // transaction: many who write to one ticket at once would stop each other.
      const ticket = await times.reserveNote(found._id, notesPerTicket);
      if (!ticket) throw tooManyNotes();
      permit(ticket);
      const note = noteOf(ticket, draft);
      const outbox = toCloudEvents('ticket', [noteAdded(ticket, draft, note.created_at)]);
      await model.collection.insertOne({ ...note, outbox } as never);
      relay.committed(model, note._id, outbox);
      // Once more, now that it is there: whoever looks for what changed may have come in between.
      await times.advanceTo(ticket._id, note.created_at);
      return note;
    },
    async insert(ticket, drafts, session) {
      await model.collection.insertMany(drafts.map((draft) => noteOf(ticket, draft)) as never, { session });
    },
    events: (ticket, drafts) => drafts.map((draft) => noteAdded(ticket, draft, ticket.updated_at)),
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
