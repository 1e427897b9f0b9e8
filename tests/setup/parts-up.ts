import { findParts } from './parts.ts';
import { running } from './running.ts';

/** Jest's global setup: finds or starts MongoDB and RabbitMQ once; the workers inherit their addresses. */
export default async function partsUp(): Promise<void> {
  running.parts ??= await findParts();
  process.env['MONGODB_URL'] = running.parts.mongodbUrl;
  process.env['AMQP_URL'] = running.parts.amqpUrl;
}
