import { type ReactNode, useState } from 'react';
import { useObjectUrl } from '../../../components/pictures/use-object-url.ts';
import { useTexts } from '../texts.ts';
import styles from './document.module.css';
import { PageBar } from './page-bar.tsx';

type ImageProps = { bytes: ArrayBuffer; mime: string; number: string; tools: ReactNode };

/** An image as it is: one page. */
export function ImageView({ bytes, mime, number, tools }: ImageProps) {
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
