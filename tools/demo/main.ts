import { runVerbs } from '@app/start/infra';
import { DemoFailure } from './flow/print.ts';
import { verbs } from './verbs.ts';

runVerbs({
  command: 'npm run demo',
  otherwise: 'flow',
  verbs,
  describe: (error) =>
    error instanceof DemoFailure ? `\n✗ ${error.message}` : error instanceof Error ? error.message : error,
});
