import { ImageOff } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Picture } from './picture.ts';
import styles from './pictures.module.css';

// Most visits of a page open no picture.
const Viewer = lazy(async () => ({ default: (await import('./viewer.tsx')).Viewer }));

type PicturesProps = {
  /** In the order in which the viewer goes through them. */
  pictures: Picture[];
  children: (open: (picture: Picture) => void) => ReactNode;
};

/** A part of a page with thumbnails, and the viewer that opens one of its pictures. */
export function Pictures({ pictures, children }: PicturesProps) {
  const [shown, show] = useState<string | null>(null);
  const at = pictures.findIndex(({ id }) => id === shown);
  return (
    <>
      {children(({ id }) => show(id))}
      {at >= 0 && (
        <Suspense fallback={null}>
          <Viewer
            pictures={pictures}
            at={at}
            onMove={(to) => show(pictures[to]?.id ?? null)}
            onClose={() => show(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/** A picture, small; pressed, it opens large. */
export function Thumbnail({ picture, onOpen }: { picture: Picture; onOpen: (picture: Picture) => void }) {
  const [isMissing, setMissing] = useState(false);
  const { name, thumbnail } = picture;
  return (
    <Button className={styles['thumbnail'] as string} onPress={() => onOpen(picture)}>
      {isMissing ? (
        <ImageOff size={20} role="img" aria-label={name} />
      ) : (
        <img src={thumbnail} alt={name} loading="lazy" onError={() => setMissing(true)} />
      )}
    </Button>
  );
}
