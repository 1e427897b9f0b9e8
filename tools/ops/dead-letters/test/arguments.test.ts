import { UsageError } from '@app/start/infra';
import { parseArguments } from '../arguments.ts';

test.each([
  ['list', { name: 'list' }],
  ['show ticket.purchases', { name: 'show', queue: 'ticket.purchases' }],
  ['show ticket.purchases 1', { name: 'show', queue: 'ticket.purchases', id: '1' }],
  ['replay ticket.purchases', { name: 'replay', queue: 'ticket.purchases', isConfirmed: false }],
  ['replay ticket.purchases 1 --yes', { name: 'replay', queue: 'ticket.purchases', id: '1', isConfirmed: true }],
  ['drop ticket.purchases 1', { name: 'drop', queue: 'ticket.purchases', id: '1', isConfirmed: false }],
  ['drop ticket.purchases --all --yes', { name: 'drop', queue: 'ticket.purchases', isConfirmed: true }],
])('%s is understood', (line, command) => expect(parseArguments(line.split(' '))).toEqual(command));

test.each([
  '',
  '--help',
  'remove ticket.purchases',
  'list ticket.purchases',
  'show',
  'show a b c',
  'show a --yes',
  'replay a --all',
  'drop ticket.purchases',
  'drop ticket.purchases --yes',
  'drop ticket.purchases 1 --all',
])('%j is answered with the usage', (line) => {
  expect(() => parseArguments(line === '' ? [] : line.split(' '))).toThrow(UsageError);
});
