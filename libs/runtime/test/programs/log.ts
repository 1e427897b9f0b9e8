import { createLogger, currentContext } from '../../logger.ts';

/** Says, at every level and of every kind, what the tests of the logger look for. */
const logger = createLogger({
  service: 'probe',
  level: process.env['LOG_LEVEL'] ?? 'info',
  production: process.env['NODE_ENV'] === 'production',
});

const refused = Object.assign(new AggregateError([new Error('no one at 127.0.0.1')], ''), { code: 'ECONNREFUSED' });
const outer = new Error('delivery failed', { cause: refused });
const endless: { self?: unknown } = {};
endless.self = endless;
const ouroboros = new Error('bites its tail');
ouroboros.cause = ouroboros;

logger.info('plain', { ticketId: 't1' });
currentContext.run({ requestId: 'r-1', messageId: 'm-1' }, () => {
  logger.warn('within', { attempt: 2 });
});
logger.error('failed', { error: outer });
logger.error('failed without an error', { error: 'just text' });
logger.error('an endless error', { error: ouroboros });
logger.info('an endless field', { endless });
logger.debug('detail');
