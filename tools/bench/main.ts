import { runVerbs } from '@app/start/infra';
import { verbs } from './verbs.ts';

runVerbs({ command: 'npm run bench', verbs, otherwise: 'all' });
