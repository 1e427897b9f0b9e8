import { stopEverything } from './test-run.ts';

export default stopEverything;
