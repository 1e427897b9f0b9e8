import { UsageError } from '@app/start/infra';
import { parseArguments } from '../arguments.ts';

const services = ['identity', 'ticket', 'purchase'];

test.each([
  [['ticket'], { services: ['ticket'], options: [] }],
  [['ticket', 'purchase', 'ticket'], { services: ['ticket', 'purchase'], options: [] }],
  [['--all'], { services, options: [] }],
  [['--all', '--list'], { services, options: ['--list'] }],
  [['ticket', '--again'], { services: ['ticket'], options: ['--again'] }],
])('%j are understood', (given, expected) => {
  expect(parseArguments(given, services)).toEqual(expected);
});

test.each([
  [[], 'name the services'],
  [['--all', 'ticket'], 'name the services'],
  [['gateway'], "there is no database of 'gateway'"],
  [['ticket', '--again', '--list'], 'exclude each other'],
  [['ticket', '--fresh'], "Unknown option '--fresh'"],
])('%j are refused with the usage', (given, sentence) => {
  expect(() => parseArguments(given, services)).toThrow(sentence);
  expect(() => parseArguments(given, services)).toThrow(UsageError);
});
