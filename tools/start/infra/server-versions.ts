import { connect } from 'amqplib';
import { MongoClient } from 'mongodb';

/** The versions of the running MongoDB and RabbitMQ, in words. @throws Error of the driver if one does not answer */
export async function serverVersions({
  mongodbUrl,
  amqpUrl,
}: {
  mongodbUrl: string;
  amqpUrl: string;
}): Promise<string> {
  const mongo = await MongoClient.connect(mongodbUrl);
  const rabbit = await connect(amqpUrl);
  try {
    const { version } = await mongo.db('admin').command({ buildInfo: 1 });
    const { version: ofRabbit } = rabbit.connection.serverProperties;
    return `MongoDB ${version}, RabbitMQ ${ofRabbit}`;
  } finally {
    await Promise.all([mongo.close(), rabbit.close()]);
  }
}
