import { findListener, isPortFree } from '../infra/index.ts';
import type { ServiceEntry } from '../service-table.ts';

type PlannedPort = { port: number; purpose: string; host: string };

/** Offsets of MongoDB's and RabbitMQ's ports from the port base. */
export const infraPorts = { mongodb: 50, amqp: 51, distribution: 52, epmd: 53 };

const purposes: Record<string, string> = {
  TICKET_API_PORT: 'the ticket API',
  TS_API_PORT: 'the second API',
  DOWNLOAD_PORT: 'downloads',
};

/** Every port that a start needs: those of the services, and of MongoDB and RabbitMQ unless they are given. */
export function portPlan(options: {
  base: number;
  services: ServiceEntry[];
  host: string;
  env: NodeJS.ProcessEnv;
}): PlannedPort[] {
  const { base, services, host, env } = options;
  const ofServices = services.flatMap(({ name, ports }) =>
    Object.entries(ports).map(([setting, offset]) => {
      const inside = setting === 'OPS_PORT' ? `health and metrics of ${name}` : `the service ${name}`;
      return { port: base + offset, purpose: purposes[setting] ?? inside, host };
    }),
  );
  const local = (offset: number, purpose: string) => ({ port: base + offset, purpose, host: '127.0.0.1' });
  const mongodb = env['MONGODB_URL'] ? [] : [local(infraPorts.mongodb, 'MongoDB')];
  const rabbitmq = [
    local(infraPorts.amqp, 'RabbitMQ'),
    local(infraPorts.distribution, "RabbitMQ's Erlang node"),
    local(infraPorts.epmd, "RabbitMQ's epmd"),
  ];
  return [...ofServices, ...mongodb, ...(env['AMQP_URL'] ? [] : rabbitmq)];
}

/** The ports of the plan that are in use. */
export async function takenPorts(plan: PlannedPort[]): Promise<PlannedPort[]> {
  const free = await Promise.all(plan.map(({ port, host }) => isPortFree(port, host)));
  return plan.filter((_, index) => !free[index]);
}

/** Describes which ports are in use, their purpose, by which process if known, and what to do. */
export async function describeTaken(taken: PlannedPort[], base: number): Promise<string> {
  const lines = await Promise.all(
    taken.map(async ({ port, purpose }) => {
      const who = await findListener(port);
      return `  ${port} (${purpose}) is taken${who ? ` by ${who}` : ''}`;
    }),
  );
  const other = base + 100 + 53 <= 65_535 ? base + 100 : base - 100;
  return `Some ports are not free:\n${lines.join('\n')}\nStop what uses them, or start on others: npm start -- --port-base ${other}`;
}
