import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { readFile } from '../../api/file.ts';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button } from '../button.tsx';
import { Dialog } from '../overlays/overlay.tsx';
import { ErrorState } from '../states.tsx';
import type { Picture } from './picture.ts';
import styles from './pictures.module.css';
import { useObjectUrl } from './use-object-url.ts';

type Props = { pictures: Picture[]; at: number; onMove: (to: number) => void; onClose: () => void };

/** In pixels: a shorter way of a finger is a tap. */
const swipe = 50;

/** One picture as large as the window; arrow keys, a swipe and buttons show the others. */
export function Viewer({ pictures, at, onMove, onClose }: Props) {
  const texts = useFrameTexts();
  const start = useRef<{ x: number; y: number } | null>(null);
  const last = pictures.length - 1;
  const go = (to: number) => to >= 0 && to <= last && onMove(to);
  useEffect(() => {
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    const onKey = ({ key }: KeyboardEvent) => {
      const to = steps[key];
      if (to !== undefined && to >= 0 && to <= last) onMove(to);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [at, last, onMove]);
  const picture = pictures[at];
  if (!picture) return null;
  return (
    <Dialog title={picture.name} width="full" isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <div
        className={styles['stage']}
        onPointerDown={({ clientX, clientY }) => {
          start.current = { x: clientX, y: clientY };
        }}
        onPointerUp={({ clientX, clientY }) => {
          const way = { x: clientX - (start.current?.x ?? clientX), y: clientY - (start.current?.y ?? clientY) };
          start.current = null;
          if (Math.abs(way.x) > Math.max(swipe, 2 * Math.abs(way.y))) go(way.x < 0 ? at + 1 : at - 1);
        }}
      >
        <Large key={picture.id} picture={picture} />
      </div>
      {last > 0 && (
        <div className={styles['steps']}>
          <Button isIcon aria-label={texts.previousPicture} isDisabled={at === 0} onPress={() => go(at - 1)}>
            <ChevronLeft size={18} aria-hidden="true" />
          </Button>
          <span role="status">{texts.pictureOf(at + 1, pictures.length)}</span>
          <Button isIcon aria-label={texts.nextPicture} isDisabled={at === last} onPress={() => go(at + 1)}>
            <ChevronRight size={18} aria-hidden="true" />
          </Button>
        </div>
      )}
    </Dialog>
  );
}

/** Its thumbnail until it is loaded. */
function Large({ picture }: { picture: Picture }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['picture', picture.id],
    queryFn: async ({ signal }) => readFile(await picture.link(signal), signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    structuralSharing: false,
  });
  const url = useObjectUrl(data ?? {});
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <img
      src={url ?? picture.thumbnail}
      alt={picture.name}
      aria-busy={url === null}
      draggable={false}
      className={styles['large']}
    />
  );
}
