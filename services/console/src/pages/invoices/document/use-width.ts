import { type RefCallback, useCallback, useState } from 'react';

const gutter = 32;

/** The inner width of an element, updated when it changes; 0 before it is known. */
export function useWidth(): [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(0);
  const place = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(0, Math.floor(entry.contentRect.width))),
    );
    observer.observe(element);
    setWidth(Math.max(0, element.clientWidth - gutter));
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
