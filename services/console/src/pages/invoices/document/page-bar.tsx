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

/** The bar above a document: page and zoom. */
export function PageBar({ isReady, tools, ...shown }: PageBarProps) {
  return (
    <div className={styles['bar']}>
      {isReady && (
        <>
          <Pages {...shown} />
          <span className={styles['rule']} />
          <Zoom {...shown} />
        </>
      )}
      <span className={styles['space']} />
      {tools}
    </div>
  );
}

type StepProps = { label: string; isDisabled: boolean; onPress: () => void; children: ReactNode };

function Step({ label, children, ...props }: StepProps) {
  return (
    <Button variant="quiet" isIcon aria-label={label} {...props}>
      {children}
    </Button>
  );
}

function Pages({ page, pages, setPage }: Pick<PageBarProps, 'page' | 'pages' | 'setPage'>) {
  const texts = useTexts();
  const text = <span className={styles['page']}>{texts.pageOf(page, pages)}</span>;
  if (pages <= 1) return text;
  return (
    <>
      <Step label={texts.previousPage} isDisabled={page <= 1} onPress={() => setPage(page - 1)}>
        <ChevronLeft size={16} aria-hidden="true" />
      </Step>
      {text}
      <Step label={texts.nextPage} isDisabled={page >= pages} onPress={() => setPage(page + 1)}>
        <ChevronRight size={16} aria-hidden="true" />
      </Step>
    </>
  );
}

/** 100 % fits the width of the pane. */
function Zoom({ zoom, setZoom }: Pick<PageBarProps, 'zoom' | 'setZoom'>) {
  const texts = useTexts();
  const { locale } = useLocale();
  const larger = zooms.find((one) => one > zoom);
  const smaller = zooms.findLast((one) => one < zoom);
  const percent = formatPercent(zoom, locale);
  return (
    <>
      <Step label={texts.zoomOut} isDisabled={!smaller} onPress={() => smaller && setZoom(smaller)}>
        <ZoomOut size={16} aria-hidden="true" />
      </Step>
      <Button
        variant="quiet"
        aria-label={`${percent}, ${texts.fitWidth}`}
        isDisabled={zoom === 1}
        onPress={() => setZoom(1)}
      >
        {percent}
      </Button>
      <Step label={texts.zoomIn} isDisabled={!larger} onPress={() => larger && setZoom(larger)}>
        <ZoomIn size={16} aria-hidden="true" />
      </Step>
    </>
  );
}
