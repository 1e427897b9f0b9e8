import { stopEverything } from './running.ts';

export default stopEverything;
