import type { en } from './texts.en.ts';

export const fr: typeof en = {
  title: 'Votre compte',
};
