import type { NewEvent } from '@app/contracts';
import { newId } from '@app/kernel';
import { addOutbox, type Relay, seal, type WithOutbox } from '@app/messaging';
import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { NoteDraft, Ticket } from '../tickets/ticket.ts';
import { type Note, noteAdded, notesPerTicket } from './note.ts';

export type NoteStore = {
  /** Every note of a ticket, oldest first: at most 1,000. */
  list(ticketId: string): Promise<Note[]>;
  /** Writes a note with what it tells. */
  add(ticket: Ticket, draft: NoteDraft): Promise<Note>;
  /** Writes notes within the transaction that counts them on their ticket and tells of them. */
  insert(ticketId: string, drafts: NoteDraft[], session: ClientSession): Promise<void>;
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
  relay.watch(model);
  return {
    list: (ticketId) =>
      model
        .find({ ticket_id: ticketId }, { outbox: 0 })
        .sort({ created_at: 1, _id: 1 })
        .limit(notesPerTicket)
        .lean<Note[]>(),
    async add(ticket, draft) {
      const note = noteOf(ticket._id, draft, now());
      const outbox = seal('ticket', [noteAdded(ticket, draft, note.created_at)]);
      await model.collection.insertOne({ ...note, outbox } as never);
      relay.committed(model, note._id, outbox);
      return note;
    },
    async insert(ticketId, drafts, session) {
      const at = now();
      await model.collection.insertMany(drafts.map((draft) => noteOf(ticketId, draft, at)) as never, { session });
    },
    events: (ticket, drafts) => drafts.map((draft) => noteAdded(ticket, draft, now())),
  };
}

function noteOf(ticketId: string, { text, type, author }: NoteDraft, at: Date): Note {
  return {
    _id: newId(at),
    ticket_id: ticketId,
    company_id: author.company_id,
    note: text,
    type,
    author,
    created_at: at,
  };
}
