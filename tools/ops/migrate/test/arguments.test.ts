import { UsageError } from '@app/start/infra';
import { parseArguments } from '../arguments.ts';

const services = ['ticket', 'invoice-reconciliation'];

test.each([
  [[], { list: false, drop: {} }],
  [['--list'], { list: true, drop: {} }],
  [
    [
      '--drop-index',
      'ticket.tickets.former',
      '--drop-index',
      'invoice-reconciliation.a.b.c',
      '--drop-index',
      'ticket.x.y',
    ],
    { list: false, drop: { ticket: ['tickets.former', 'x.y'], 'invoice-reconciliation': ['a.b.c'] } },
  ],
])('%j are understood', (given, expected) => {
  const understood = parseArguments(given, services);
  expect({ list: understood.list, drop: Object.fromEntries(understood.drop) }).toEqual(expected);
});

test('without names of services it is about all', () => {
  expect(parseArguments([], services).services).toEqual(services);
  expect(parseArguments(['ticket', '--list'], services).services).toEqual(['ticket']);
});

test.each([
  [['--drop-index', 'tickets.former'], "not 'tickets.former'"],
  [['--drop-index', 'ticket.former'], "not 'ticket.former'"],
  [['--fresh'], "Unknown option '--fresh'"],
  [['tickets'], "no service 'tickets'"],
])('%j are refused with the usage', (given, sentence) => {
  expect(() => parseArguments(given, services)).toThrow(sentence);
  expect(() => parseArguments(given, services)).toThrow(UsageError);
});
