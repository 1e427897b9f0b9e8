import { platformQueues, snapshotKinds } from '@app/contracts';
import { connectBroker } from '@app/messaging';
import { createLogger, type DataSettings, dataSettings, loadConfig } from '@app/runtime';
import { requestSnapshots } from '../../../services/invoice-reconciliation/projections/request-snapshots.ts';

export const usage = `Usage: npm run ops -- rebuild-projections

Asks all services to tell invoice-reconciliation again what it keeps of them (services/invoice-reconciliation/README.md).

AMQP_URL names the broker, NAMESPACE a prefix of the queues' names.`;

export async function run(): Promise<void> {
  const { AMQP_URL } = dataSettings;
  const settings = loadConfig<Pick<DataSettings, 'AMQP_URL'>>({ AMQP_URL }, { OPS_PORT: '1', ...process.env });
  const logger = createLogger({ service: 'rebuild-projections', level: settings.LOG_LEVEL, production: false });
  const { NAMESPACE: namespace } = settings;
  const broker = await connectBroker({
    url: settings.AMQP_URL,
    namespace,
    service: 'invoice-reconciliation',
    logger,
    platform: platformQueues,
  });
  const requestId = await requestSnapshots(broker);
  logger.info('snapshots requested', { requestId, kinds: snapshotKinds });
  await broker.close();
}
