export { createErasures, type ErasePage, type Erasures } from './erasures.ts';
