import { type Kind, Ledger } from '../load/ledger.ts';
import type { Endpoint, ReceivedEvent } from '../load/receivers.ts';
import type { Side, StoredInvoice, StoredTicket } from './api-reads.ts';
import { compareEvents, compareInvoices, compareWrites, type Findings, noFindings } from './comparisons.ts';

type Case = {
  ledger: Ledger;
  ticket: StoredTicket;
  names: string[];
  events: Record<Side, ReceivedEvent[]>;
  found: StoredInvoice[];
  takenInCharge: string[];
};

const account = 'company';
let deliveries = 0;

function event(key: string, createdAt = '2026-11-22T08:00:00.000Z'): ReceivedEvent {
  deliveries += 1;
  return { key, delivery: `d${deliveries}`, createdAt, event: key.split(' ')[0] as string };
}

/** A ticket with one of everything, of which everybody received the events. */
function withoutFindings(): Case {
  const ledger = new Ledger(1);
  const add = (kind: Kind, key: string, detail = '') =>
    ledger.add({ kind, key, account, state: 'acknowledged', ticket: 't', detail });
  add('ticket', 'ticket 1');
  add('move', 't assigned', 'assigned');
  add('move', 't finished', 'finished');
  add('note', 'note 2');
  add('document', 'document-3.pdf');
  add('purchase', 'BC-4');
  add('invoice', 'inv_5');
  add('quote', 'D-7');
  add('quote decision', 'D-7 validated');
  add('date', '2026-12-24T08:00:00.000Z');
  add('edit', 'edit 8');
  add('endpoint', 'endpoint 9');
  ledger.add({ kind: 'note', key: 'note 6', account, state: 'unknown', ticket: 't' });
  const eventsOf = (side: Side) => [
    event(`ticket.status_changed t ${side === 'client' ? 'opened' : null}>assigned`),
    event('ticket.status_changed t assigned>finished', '2026-11-22T09:00:00.000Z'),
    event('ticket.message_added t note 2'),
    event('ticket.document_added t d1'),
    event('ticket.purchase_added t p1'),
    event('ticket.invoice_added t i1'),
    event('ticket.quote_added t q1'),
    event('ticket.intervention_date_added t 2026-12-24T08:00:00.000Z'),
  ];
  return {
    ledger,
    ticket: {
      id: 't',
      title: 'ticket 1',
      status: 'finished',
      notes: ['note 2'],
      invoiceIds: ['i1'],
      documents: [{ _id: 'd1', name: 'document-3.pdf', hash: '', kind: 'document', s3_key: '' }],
      purchases: [{ _id: 'p1', reference: 'BC-4' }],
      quotes: [{ _id: 'q1', reference: 'D-7', isValidated: true }],
      dates: ['2026-12-24T08:00:00.000Z'],
      edits: ['edit 8'],
      moves: {
        client: ['opened>assigned', 'assigned>finished'],
        contractor: ['null>assigned', 'assigned>finished'],
      },
    },
    names: ['endpoint 9'],
    events: { client: eventsOf('client'), contractor: eventsOf('contractor') },
    found: [{ id: 'i1', externalId: 'inv_5', state: 'done', ticket: 't' }],
    takenInCharge: ['inv_5'],
  };
}

function compare({ ledger, ticket, names, events, found, takenInCharge }: Case): Findings {
  const findings = noFindings();
  const compared = { account, tickets: [ticket], names, ledger, findings };
  compareWrites(compared);
  for (const side of ['client', 'contractor'] as const) {
    const endpoint: Endpoint = { name: side, path: '/', secret: '', events: events[side] };
    compareEvents(endpoint, side, compared);
  }
  compareInvoices({ ...compared, found, takenInCharge });
  return findings;
}

test('nothing is found if everything is there once, and an unknown write nowhere', () => {
  expect(compare(withoutFindings())).toEqual(noFindings());
});

test('an unknown write may have happened, if its event arrived', () => {
  const given = withoutFindings();
  given.ticket.notes.push('note 6');
  for (const side of ['client', 'contractor'] as const) given.events[side].push(event('ticket.message_added t note 6'));
  expect(compare(given)).toEqual(noFindings());
});

test('a repeat under the same delivery id is no second event', () => {
  const given = withoutFindings();
  given.events.client.push(given.events.client[2] as ReceivedEvent);
  expect(compare(given)).toEqual(noFindings());
});

const planted: [string, keyof Findings, (given: Case) => void][] = [
  ['an acknowledged note is gone', 'lost', ({ ticket }) => ticket.notes.pop()],
  ['an acknowledged file is gone', 'lost', ({ ticket }) => ticket.documents.pop()],
  ['an acknowledged purchase is gone', 'lost', ({ ticket }) => ticket.purchases.pop()],
  ['an acknowledged move is undone', 'lost', ({ ticket }) => Object.assign(ticket, { status: 'assigned' })],
  ['an acknowledged ticket is another one', 'lost', ({ ticket }) => Object.assign(ticket, { title: 'other' })],
  ['an acknowledged change is gone', 'lost', ({ ticket }) => ticket.edits.pop()],
  ['an acknowledged date is gone', 'lost', ({ ticket }) => ticket.dates.pop()],
  [
    'a validated quote is not validated',
    'lost',
    ({ ticket }) => Object.assign(ticket.quotes[0] as object, { isValidated: false }),
  ],
  ['an endpoint is gone', 'lost', ({ names }) => names.pop()],
  [
    'a deleted endpoint is there',
    'unexpected',
    ({ ledger }) => Object.assign(ledger.of(account, 'endpoint')[0] as object, { state: 'ended' }),
  ],
  [
    'an invoice is on another ticket',
    'unexpected',
    ({ found }) => Object.assign(found[0] as StoredInvoice, { ticket: 'other' }),
  ],
  ['an invoice of the provider is nowhere', 'lost', ({ found }) => found.pop()],
  ['a note is there twice', 'twice', ({ ticket }) => ticket.notes.push('note 2')],
  ['an unknown note is there twice', 'twice', ({ ticket }) => ticket.notes.push('note 6', 'note 6')],
  [
    'an invoice is there twice',
    'twice',
    ({ found }) => found.push({ id: 'i2', externalId: 'inv_5', state: 'done', ticket: 't' }),
  ],
  ['an invoice was taken in charge twice', 'twice', ({ takenInCharge }) => takenInCharge.push('inv_5')],
  [
    'a note is delivered under two ids',
    'twice',
    ({ events }) => events.client.push(event('ticket.message_added t note 2')),
  ],
  ['nobody wrote a note', 'unexpected', ({ ticket }) => ticket.notes.push('who was it')],
  [
    'a note is delivered that is not there',
    'unexpected',
    ({ events }) => events.client.push(event('ticket.message_added t x')),
  ],
  [
    'a move has the time before the one before',
    'unexpected',
    ({ events }) => Object.assign(events.client[1] as ReceivedEvent, { createdAt: '2026-11-22T07:00:00.000Z' }),
  ],
  [
    'an invoice is not the provider’s',
    'unexpected',
    ({ found }) => found.push({ id: 'i2', externalId: 'x', state: 'done', ticket: 't' }),
  ],
  ['the contractor missed an event', 'eventsLost', ({ events }) => events.contractor.pop()],
  ['the client missed a move', 'eventsLost', ({ events }) => events.client.shift()],
  [
    'an invoice rests before its end',
    'leftOver',
    ({ found }) => Object.assign(found[0] as StoredInvoice, { state: 'error' }),
  ],
  ['an invoice got no feedback', 'leftOver', ({ takenInCharge }) => takenInCharge.pop()],
];

test.each(planted)('a planted wrong is found: %s', (_what, kind, plant) => {
  const given = withoutFindings();
  plant(given);
  expect(compare(given)[kind]).not.toEqual([]);
});
