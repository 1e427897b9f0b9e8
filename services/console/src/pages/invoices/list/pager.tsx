import { ChevronLeft, ChevronRight, List as ListIcon } from 'lucide-react';
import { Button } from '../../../components/button.tsx';
import { type Counted, formatCounted, formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import styles from '../bench/bench.module.css';
import { useTexts } from '../texts.ts';

type PagerProps = { place: number; total: Counted; onStep: (step: 1 | -1) => void; onShowList: () => void };

/** Replaces the list if there is no room for it: `3 of 57`. */
export function Pager({ place, total, onStep, onShowList }: PagerProps) {
  const texts = useTexts();
  const { locale } = useLocale();
  return (
    <div className={styles['pager']}>
      <Button variant="quiet" onPress={onShowList} aria-haspopup="dialog">
        <ListIcon size={16} aria-hidden="true" />
        {texts.showList}
      </Button>
      <span className={styles['space']} />
      <Button variant="quiet" isIcon aria-label={texts.previous} aria-keyshortcuts="k" onPress={() => onStep(-1)}>
        <ChevronLeft size={16} aria-hidden="true" />
      </Button>
      <span className={styles['place']}>
        {texts.placeOf(place < 0 ? '–' : formatNumber(place + 1, locale), formatCounted(total, locale))}
      </span>
      <Button variant="quiet" isIcon aria-label={texts.next} aria-keyshortcuts="j" onPress={() => onStep(1)}>
        <ChevronRight size={16} aria-hidden="true" />
      </Button>
    </div>
  );
}
