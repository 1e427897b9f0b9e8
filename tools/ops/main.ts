import { runVerbs } from '@app/infra';
import { verbs } from './verbs.ts';

runVerbs({
  command: 'npm run ops',
  verbs,
});
