import { findInfra } from './find-infra.ts';
import { testRun } from './test-run.ts';

/** Jest's global setup: finds or starts MongoDB and RabbitMQ once; the workers inherit their addresses. */
export default async function infraUp(): Promise<void> {
  testRun.infra ??= await findInfra();
  process.env['MONGODB_URL'] = testRun.infra.mongodbUrl;
  process.env['AMQP_URL'] = testRun.infra.amqpUrl;
}
