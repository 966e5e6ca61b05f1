import { type RefObject, useEffect, useRef } from 'react';

/**
 * Keeps a list at its end for whoever is there when it becomes higher or lower: a queue above the composer, or a
 * banner, would hide what is being written.
 */
export function useStayAtEnd(scroller: RefObject<HTMLElement | null>, isAtEnd: boolean, toEnd: () => void): void {
  const latest = useRef({ isAtEnd, toEnd });
  useEffect(() => {
    latest.current = { isAtEnd, toEnd };
  });
  useEffect(() => {
    const { current } = scroller;
    // Documents of tests have no layout.
    if (current === null || typeof ResizeObserver === 'undefined') return undefined;
    let height = current.clientHeight;
    const observer = new ResizeObserver(() => {
      const hasChanged = current.clientHeight !== height;
      height = current.clientHeight;
      if (hasChanged && latest.current.isAtEnd) latest.current.toEnd();
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [scroller]);
}
