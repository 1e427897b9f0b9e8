import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../components/button.tsx';
import { formatPercent } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { useTexts } from '../texts.ts';
import styles from './document.module.css';

type PageBarProps = {
  page: number;
  pages: number;
  zoom: number;
  isReady: boolean;
  setPage: (page: number) => void;
  setZoom: (zoom: number) => void;
  /** Further buttons, at the end. */
  tools: ReactNode;
};

const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

/** Above a document: which page, how large. 100 % is the width of its place. */
export function PageBar({ page, pages, zoom, isReady, setPage, setZoom, tools }: PageBarProps) {
  const texts = useTexts();
  const { locale } = useLocale();
  const larger = zooms.find((one) => one > zoom);
  const smaller = zooms.findLast((one) => one < zoom);
  return (
    <div className={styles['bar']}>
      {isReady && (
        <>
          {pages > 1 && (
            <Button
              variant="quiet"
              isIcon
              aria-label={texts.previousPage}
              isDisabled={page <= 1}
              onPress={() => setPage(page - 1)}
            >
              <ChevronLeft size={16} aria-hidden="true" />
            </Button>
          )}
          <span className={styles['page']}>{texts.pageOf(page, pages)}</span>
          {pages > 1 && (
            <Button
              variant="quiet"
              isIcon
              aria-label={texts.nextPage}
              isDisabled={page >= pages}
              onPress={() => setPage(page + 1)}
            >
              <ChevronRight size={16} aria-hidden="true" />
            </Button>
          )}
          <span className={styles['rule']} />
          <Button
            variant="quiet"
            isIcon
            aria-label={texts.zoomOut}
            isDisabled={!smaller}
            onPress={() => smaller && setZoom(smaller)}
          >
            <ZoomOut size={16} aria-hidden="true" />
          </Button>
          <Button variant="quiet" aria-label={texts.fitWidth} isDisabled={zoom === 1} onPress={() => setZoom(1)}>
            {formatPercent(zoom, locale)}
          </Button>
          <Button
            variant="quiet"
            isIcon
            aria-label={texts.zoomIn}
            isDisabled={!larger}
            onPress={() => larger && setZoom(larger)}
          >
            <ZoomIn size={16} aria-hidden="true" />
          </Button>
        </>
      )}
      <span className={styles['space']} />
      {tools}
    </div>
  );
}
