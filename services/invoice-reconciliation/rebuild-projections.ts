import { platformQueues, snapshotKinds } from '@app/contracts';
import { connectBroker } from '@app/messaging';
import { type CommonSettings, createLogger, type DataSettings, dataSettings, loadConfig } from '@app/runtime';
import { requestSnapshots } from './projections/request-snapshots.ts';

type Needed = Pick<DataSettings, 'AMQP_URL'>;

/** `npm run rebuild-projections`: rebuilds the projections of this service (README.md). */
async function main(): Promise<void> {
  const { AMQP_URL } = dataSettings;
  const settings: Needed & CommonSettings = loadConfig<Needed>({ AMQP_URL }, { OPS_PORT: '1', ...process.env });
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

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
