export type { Family, StatusWord } from '@app/kernel/words';
