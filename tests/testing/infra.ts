import { randomBytes } from 'node:crypto';
import { connectMongo, type Logger } from '@app/runtime';
import type { Connection } from 'mongoose';

/** Where the real MongoDB and RabbitMQ of this run are: Jest's global setup has found or started them. */
export function testInfra(): { mongodbUrl: string; amqpUrl: string } {
  const { MONGODB_URL: mongodbUrl, AMQP_URL: amqpUrl } = process.env;
  if (!mongodbUrl || !amqpUrl) throw new Error('run this test through Jest: its setup provides MongoDB and RabbitMQ');
  return { mongodbUrl, amqpUrl };
}

/** A namespace of its own for a test file, so that files may run in parallel on the same infrastructure. */
export function testNamespace(): string {
  return `t${randomBytes(4).toString('hex')}-`;
}

/** A connection to an empty database of its own; `drop` removes it again. */
export async function testDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const connection = await connectMongo({
    url: testInfra().mongodbUrl,
    database: `${testNamespace()}db`,
    poolSize: 20,
  });
  return {
    connection,
    async drop() {
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** A logger that keeps its lines, so that a test can assert on it, and prints nothing. */
export function testLogger(): Logger & { lines: { level: string; message: string; fields: object | undefined }[] } {
  const lines: { level: string; message: string; fields: object | undefined }[] = [];
  const at = (level: string) => (message: string, fields?: object) => void lines.push({ level, message, fields });
  return { lines, error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
