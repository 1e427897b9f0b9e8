import { createLineLog } from '../../logger.ts';

/** Leaves lines, and ends before the time at which they would have been written by themselves. */
const log = createLineLog({
  service: 'probe',
  level: process.env['LOG_LEVEL'] ?? 'info',
  production: process.env['NODE_ENV'] === 'production',
});
for (let n = 0; n < 1000; n += 1) log('request', { requestId: `r-${n}`, status: 200 });
process.exit();
