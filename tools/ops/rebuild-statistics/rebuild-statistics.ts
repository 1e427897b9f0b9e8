import { type CommonSettings, connectMongo, createLogger, dataSettings, loadConfig } from '@app/runtime';
import { recount } from '@app/service/statistics';
import type { Connection } from 'mongoose';
import { invoiceStatisticsSource } from '../../../services/invoice-reconciliation/statistics/invoice-statistics-store.ts';
import { ticketStatisticsSource } from '../../../services/ticket/statistics/ticket-statistics-store.ts';

export const usage = `Usage: npm run ops -- rebuild-statistics

Has the running services count the figures of all tickets and invoices anew (docs/statistics.md). Until they have, figures are too low,
and their answers say how many changes are pending.

MONGODB_URL names the server, NAMESPACE a prefix of the names of databases.`;

const recounts: Record<string, (database: Connection) => Promise<number>> = {
  ticket: (database) => recount(database, ticketStatisticsSource(database)),
  'invoice-reconciliation': (database) => recount(database, invoiceStatisticsSource(database)),
};

/** @throws ConfigError */
export async function run(): Promise<void> {
  const { MONGODB_URL } = dataSettings;
  const settings = loadConfig<{ MONGODB_URL: string }>({ MONGODB_URL }, { ...process.env, OPS_PORT: '1' });
  const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level }: CommonSettings & typeof settings = settings;
  const logger = createLogger({ service: 'rebuild-statistics', level, production: settings.NODE_ENV === 'production' });
  for (const [service, recountAll] of Object.entries(recounts)) {
    const database = await connectMongo({ url, database: `${namespace}${service}`, logger });
    try {
      logger.info('to be counted again', { database: service, documents: await recountAll(database) });
    } finally {
      await database.close();
    }
  }
}
