import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@app/demo';
import type { Replica } from '../faults/cluster/replicas.ts';
import { readLogs } from './log-lines.ts';
import { stepsOf } from './rollout.ts';

const replicas = ['gateway', 'ticket', 'purchase'].flatMap((service) =>
  [1, 2].map((number) => ({ service, name: `${service}-${number}` }) as Replica),
);

test.each([1, 2, 3, 7])('%i at once: every process is replaced once, never two of a service together', (atOnce) => {
  const steps = stepsOf(replicas, atOnce, createRandom(5));
  expect(
    steps
      .flat()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(replicas.map(({ name }) => name).sort());
  for (const step of steps) {
    expect(step.length).toBeLessThanOrEqual(atOnce);
    expect(new Set(step.map(({ service }) => service)).size).toBe(step.length);
  }
});

test('the same seed gives the same order', () => {
  const order = () =>
    stepsOf(replicas, 1, createRandom(5))
      .flat()
      .map(({ name }) => name);
  expect(order()).toEqual(order());
});

test('the logs of a run are searched for errors that nobody asked for, and for messages handled again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rolling-upgrade-test-'));
  const refused =
    '08:00:03.000 warn message will be retried {"error":{"message":"ticket.assigned.v1: \\"version\\" is required"}}';
  const lines = [
    '08:00:00.000 info ready {}',
    '08:00:01.000 error it broke {}',
    '08:00:01.000 error given up {"reason":"the provider refused (422): this failure was asked for"}',
    '08:00:02.000 warn message will be retried {}',
    refused,
  ];
  writeFileSync(join(folder, 'ticket-1.log'), lines.join('\n'));
  expect(readLogs(folder)).toEqual({
    errors: ['ticket-1.log: 08:00:01.000 error it broke {}'],
    retries: 2,
    refused: [`ticket-1.log: ${refused}`],
  });
  rmSync(folder, { recursive: true });
});
