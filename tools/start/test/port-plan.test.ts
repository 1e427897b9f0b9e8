import { portSpan } from '../arguments.ts';
import { serviceTable } from '../service-table.ts';
import { infraPorts, portPlan } from '../settings/port-plan.ts';

const plan = (env: NodeJS.ProcessEnv = {}) => portPlan({ base: 4000, services: serviceTable, host: '127.0.0.1', env });

test('no port is planned twice, and none beyond the span that --port-base allows for', () => {
  const ports = plan().map(({ port }) => port);
  expect(new Set(ports).size).toBe(ports.length);
  expect(Math.max(...ports)).toBe(4000 + portSpan);
});

test('the three hosts stand on the base and the two after it', () => {
  const hosts = plan().filter(({ port }) => port < 4010);
  expect(hosts).toEqual([
    { port: 4000, purpose: 'the ticket API', host: '127.0.0.1' },
    { port: 4001, purpose: 'the second API', host: '127.0.0.1' },
    { port: 4002, purpose: 'downloads', host: '127.0.0.1' },
  ]);
});

test('given infrastructure needs no port', () => {
  const ports = plan({ MONGODB_URL: 'mongodb://elsewhere', AMQP_URL: 'amqp://elsewhere' }).map(({ port }) => port);
  for (const offset of Object.values(infraPorts)) expect(ports).not.toContain(4000 + offset);
});

test('what stands beside the stack finds its port free, and within the span', () => {
  const outside = serviceTable.flatMap((entry) =>
    Object.values(entry.externalAddresses ?? {}).map((one) => 4000 + one.port),
  );
  expect(outside).toHaveLength(3);
  for (const port of outside) {
    expect(plan().map((one) => one.port)).not.toContain(port);
    expect(port).toBeLessThan(4000 + portSpan);
  }
});
