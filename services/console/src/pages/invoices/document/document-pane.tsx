import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, TableProperties } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import button from '../../../components/button.module.css';
import { Button } from '../../../components/button.tsx';
import { classes } from '../../../components/classes.ts';
import { ErrorBoundary } from '../../../components/error-boundary.tsx';
import { useMedia } from '../../../components/layout/use-media.ts';
import { useObjectUrl } from '../../../components/pictures/use-object-url.ts';
import { ErrorNote, Skeleton } from '../../../components/states.tsx';
import { documentLink, documentQuery } from '../data/document-query.ts';
import type { Invoice } from '../rules/invoice.ts';
import { needlesOf } from '../rules/marks.ts';
import { useTexts } from '../texts.ts';
import { CanonicalView } from './canonical-view.tsx';
import styles from './document.module.css';
import { DocumentFailed } from './document-failed.tsx';
import { PageBar } from './page-bar.tsx';

type ImageProps = { bytes: ArrayBuffer; mime: string; number: string; tools: ReactNode };

/** An image as it is: one page. */
function ImageView({ bytes, mime, number, tools }: ImageProps) {
  const texts = useTexts();
  const url = useObjectUrl({ bytes, mime });
  const [zoom, setZoom] = useState(1);
  return (
    <>
      <PageBar page={1} pages={1} zoom={zoom} isReady setPage={() => undefined} setZoom={setZoom} tools={tools} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard, too */}
      <section className={styles['desk']} tabIndex={0} aria-label={texts.imageOf(number)}>
        {url !== null && (
          <img src={url} alt={texts.imageOf(number)} className={styles['image']} style={{ width: `${zoom * 100}%` }} />
        )}
      </section>
    </>
  );
}

const PdfView = lazy(async () => ({ default: (await import('./pdf-view.tsx')).PdfView }));

/** The supplier's document; if there is none, or only data, the fields that were read. */
export function DocumentPane({ invoice }: { invoice: Invoice }) {
  const texts = useTexts();
  const mime = invoice.document?.mime ?? '';
  const hasPicture = mime === 'application/pdf' || mime.startsWith('image/');
  const [showsFields, setShowsFields] = useState(false);
  const isPrinted = useMedia('print');
  const note = mime === '' ? texts.noDocument : texts.xmlDocument;
  const tools = <Tools invoice={invoice} {...(hasPicture && { showsFields, setShowsFields })} />;
  return (
    <section className={styles['pane']} aria-label={texts.document}>
      {hasPicture && !showsFields ? (
        <>
          <Picture key={invoice.document?.hash ?? ''} invoice={invoice} tools={tools} />
          {isPrinted && <CanonicalView invoice={invoice} note="" />}
        </>
      ) : (
        <>
          <div className={styles['bar']}>
            <span className={styles['page']}>{texts.readFields}</span>
            <span className={styles['space']} />
            {tools}
          </div>
          <CanonicalView
            invoice={invoice}
            note={invoice.amounts === null ? texts.unreadDocument : hasPicture ? '' : note}
          />
        </>
      )}
    </section>
  );
}

function Picture({ invoice, tools }: { invoice: Invoice; tools: ReactNode }) {
  const { data, error, refetch } = useQuery(documentQuery(invoice));
  const needles = useMemo(() => needlesOf(invoice), [invoice]);
  const mime = invoice.document?.mime ?? '';
  const retry = () => void refetch();
  if (error && !data) return <DocumentFailed error={error} tools={tools} onRetry={retry} />;
  if (!data) return <Waiting tools={tools} />;
  if (mime !== 'application/pdf')
    return <ImageView bytes={data.bytes} mime={mime} number={invoice.number ?? ''} tools={tools} />;
  return (
    <ErrorBoundary fallback={<DocumentFailed error={null} tools={tools} onRetry={() => location.reload()} />}>
      <Suspense fallback={<Waiting tools={tools} />}>
        <PdfView bytes={data.bytes} needles={needles} tools={tools} onRetry={retry} />
      </Suspense>
    </ErrorBoundary>
  );
}

function Waiting({ tools }: { tools: ReactNode }) {
  return (
    <>
      <div className={styles['bar']}>
        <span className={styles['space']} />
        {tools}
      </div>
      <div className={styles['desk']}>
        <Skeleton rows={8} />
      </div>
    </>
  );
}

type ToolsProps = { invoice: Invoice; showsFields?: boolean; setShowsFields?: (shows: boolean) => void };

function Tools({ invoice, showsFields = false, setShowsFields }: ToolsProps) {
  const texts = useTexts();
  const save = useMutation({
    mutationFn: () => documentLink(invoice.id),
    onSuccess: (url) => location.assign(url),
  });
  return (
    <>
      {setShowsFields && (
        <ToggleButton
          isSelected={showsFields}
          onChange={setShowsFields}
          className={classes(button['button'], button['quiet'], button['icon'], styles['toggle'])}
          aria-label={texts.readFields}
        >
          <TableProperties size={16} aria-hidden="true" />
        </ToggleButton>
      )}
      {invoice.document && (
        <>
          <Button
            variant="quiet"
            isIcon
            aria-label={texts.download}
            isPending={save.isPending}
            onPress={() => save.mutate()}
          >
            <Download size={16} aria-hidden="true" />
          </Button>
          <ErrorNote error={save.error} />
        </>
      )}
    </>
  );
}
