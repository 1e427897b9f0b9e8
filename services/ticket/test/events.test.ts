import { type EventType, eventTypes, type NewEvent } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture } from '@app/testing';
import { answerRequest, contractorSnapshotEvents, createContractor } from '../contractors/contractor.ts';
import { addDate } from '../dates/dates.ts';
import { documentAdded } from '../documents/document.ts';
import { invoiceLine, lineEvents } from '../invoices/invoice-line.ts';
import { finish } from '../moves/moves.ts';
import { noteAdded } from '../notes/note.ts';
import { addQuote } from '../quotes/quotes.ts';
import { locationSnapshotEvents } from '../referentials/location-snapshot.ts';
import { createReferential } from '../referentials/referential.ts';
import { addReport } from '../reports/reports.ts';
import { notificationEvents, readersChanged } from '../tickets/lifecycle/ticket-notifications.ts';
import { warningsOf } from '../tickets/lifecycle/warnings.ts';
import type { TicketClock } from '../tickets/ticket.ts';
import { snapshotEvents } from '../tickets/ticket-snapshot.ts';
import { aLine } from './invoices/fixtures.ts';
import { aContractor, aDate, at, client, clientId, user, worked } from './tickets/fixtures.ts';

const contractor = aContractor();
const ticket = worked('assigned', contractor);
const file = { key: 'key', name: 'devis été.pdf', type: 'application/pdf', size: 12, hash: 'a'.repeat(64) };
const document = {
  _id: newId(),
  ticket_id: ticket._id,
  company_id: clientId,
  kind: 'document',
  visibility: 'shared',
} as const;
const entry = createContractor({ _id: newId(), client_id: clientId }, { name: 'Fixit' }, null);
const quote = {
  _id: newId(),
  reference: 'DEV-1',
  price: '12.50',
  includes_vat: false,
  file: null,
  contractor_id: null,
};

const line = invoiceLine(aLine({ client: clientId, ticket: ticket._id, view: ticket.views[1]?._id ?? '' }));
const location = createReferential({ _id: newId(), client_id: clientId, kind: 'location' }, { name: 'Lyon' });

const never = { response: null, arrival: null, finish: null };
const overdue: TicketClock = {
  rules: null,
  changes: [],
  moves: [],
  due: { ...never, finish: at },
  warn: { ...never, finish: at },
  results: never,
};

const made: NewEvent[] = [
  ...finish(ticket, client, at, { reserve: null }).events,
  ...addQuote(ticket, contractor.actor, at, quote).events,
  ...addDate(ticket, contractor.actor, at, aDate({ category: 'visit' })).events,
  ...addDate(ticket, contractor.actor, at, aDate({ category: 'intervention' })).events,
  ...addReport(ticket, contractor.actor, at, { _id: newId(), file }).events,
  ...answerRequest(
    { ...entry, requested_company_id: contractor.companyId },
    { companyId: contractor.companyId, accept: true, at },
  ).events,
  documentAdded(ticket, { ...document, added_at: at, file }),
  noteAdded(ticket, { text: 'Bonjour', type: 'public', author: user }, at),
  ...notificationEvents(
    ticket,
    [{ company_id: clientId, kind: 'note', what: 'note:1', text: 'Bonjour', visibility: 'shared' }],
    { by: user, placeIds: [newId()], at },
  ),
  readersChanged(ticket, [newId()]),
  // Their notifications have no actor.
  ...warningsOf({ ...ticket, clock: overdue }, [], [], at).events.filter(({ type }) => type.startsWith('ticket.')),
  ...snapshotEvents(null, ticket),
  ...contractorSnapshotEvents(null, { contractor: entry, version: 1 }, at),
  ...locationSnapshotEvents(null, { ...location, version: 1 }, at),
  ...lineEvents(null, { ...line, kept_at: at }, ticket),
];

/** The keys of a value and of what is nested in it. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value !== 'object' || value === null) return true;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

test('this service makes every type of event that is its own', () => {
  // Those of a restore are made by libs/service/restore, for every service.
  const own = [...eventTypes.keys()].filter(
    (type) => !/^(restore|export)\./.test(type) && eventFixture({ type } as EventType).source === '/services/ticket',
  );
  expect([...new Set(made.map(({ type }) => type))].sort()).toEqual(own.sort());
});

test.each(made.map((event) => [event.type, event] as const))(
  '%s is made as its contract and its frozen example have it',
  (type, event) => {
    const eventType = eventTypes.get(type) as unknown as EventType<unknown>;
    // Strict, as the owner writes: no unknown field, nothing converted.
    expect(eventType.schema.validate(event.data, { convert: false }).error).toBeUndefined();
    expect(shapeOf(event.data)).toEqual(shapeOf(eventFixture(eventType).data));
    expect(event).toMatchObject({
      time: expect.stringMatching(/Z$/),
      subject: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
  },
);
