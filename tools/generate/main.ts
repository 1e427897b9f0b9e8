import { inspect } from 'node:util';
import { runVerbs } from '@app/start/infra';
import { verbs } from './verbs.ts';

runVerbs({ command: 'npm run docs', otherwise: 'pages', verbs, describe: inspect });
