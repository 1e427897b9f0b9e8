import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import styles from './bench.module.css';

type SplitterProps = {
  label: string;
  /** The width of the pane beside it, in pixels. */
  width: number;
  min: number;
  max: number;
  onResize: (width: number) => void;
  /** The pane is on the right. */
  isAfter?: boolean;
};

const step = 24;

/** A handle between two panes, moved by dragging or by the arrow keys. */
export function Splitter({ label, width, min, max, onResize, isAfter = false }: SplitterProps) {
  const start = useRef<{ x: number; width: number } | null>(null);
  const direction = isAfter ? -1 : 1;
  const resize = (wanted: number) => onResize(Math.min(max, Math.max(min, wanted)));
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') resize(width - direction * step);
    if (key === 'ArrowRight') resize(width + direction * step);
  };
  const onPointerDown = (event: PointerEvent) => {
    start.current = { x: event.clientX, width };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = ({ clientX }: PointerEvent) => {
    if (start.current) resize(start.current.width + direction * (clientX - start.current.x));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      className={styles['splitter']}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = null;
      }}
    />
  );
}
