import { type ReactNode, useState } from 'react';
import { classes } from '../../../components/classes.ts';
import { Tabs } from '../../../components/layout/tabs.tsx';
import { useMedia } from '../../../components/layout/use-media.ts';
import { ErrorState, Skeleton } from '../../../components/states.tsx';
import type { useInvoiceActions } from '../data/invoice-actions.ts';
import { useInvoice } from '../data/invoice-queries.ts';
import { DocumentPane } from '../document/document-pane.tsx';
import { InvoicePanel } from '../panel/invoice-panel.tsx';
import { useTexts } from '../texts.ts';
import styles from './bench.module.css';
import { Splitter } from './splitter.tsx';

type BenchProps = {
  id: string;
  actions: ReturnType<typeof useInvoiceActions>;
  onSkip: (() => void) | null;
  /** The note of a failure, above the panel. */
  notice: ReactNode;
};

/** Paper is as narrow as a phone, and has room for both. */
const narrow = 'screen and (max-width: 767px)';

/** Document and panel of one invoice: beside each other, on a phone one after the other. */
export function Bench({ id, actions, onSkip, notice }: BenchProps) {
  const texts = useTexts();
  const { data: invoice, error, refetch } = useInvoice(id);
  const isNarrow = useMedia(narrow);
  const [part, setPart] = useState<'match' | 'document'>('match');
  const [width, setWidth] = useState(400);
  if (!invoice) {
    return (
      <div className={styles['loading']}>
        {notice}
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton rows={8} />}
      </div>
    );
  }
  const panel = (
    <div className={styles['side']}>
      {notice}
      <InvoicePanel invoice={invoice} actions={actions} onSkip={onSkip} />
    </div>
  );
  const document = <DocumentPane key={invoice.id} invoice={invoice} />;
  if (!isNarrow) {
    return (
      <div className={styles['bench']} style={{ gridTemplateColumns: `minmax(0, 1fr) auto ${width}px` }}>
        {document}
        <Splitter label={texts.resizePanel} width={width} onResize={setWidth} min={340} max={640} isAfter />
        {panel}
      </div>
    );
  }
  return (
    <div className={classes(styles['phone'])}>
      <Tabs
        label={texts.parts}
        tabs={[
          { id: 'document', text: texts.document },
          { id: 'match', text: texts.match },
        ]}
        selected={part}
        onSelect={setPart}
      >
        {part === 'document' ? document : panel}
      </Tabs>
    </div>
  );
}
