import { textsIn } from '../../i18n/locale.tsx';
import { en } from './texts.en.ts';
import { fr } from './texts.fr.ts';

export const useTexts = textsIn({ en, fr });
