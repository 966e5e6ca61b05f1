import { type RefObject, useEffect } from 'react';

/** As far as whoever reads a log may be from its end, which it keeps in sight. */
const NEAR_END_PX = 80;

/**
 * Brings the start of what is higher than the log around it into sight, once it is laid out: a log shows its end, where
 * the buttons are. Leaves alone whoever reads elsewhere in the log.
 */
export function useStartInSight(shown: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = shown;
    const log = current?.closest('[role=log]') ?? null;
    // Documents of tests have no layout.
    if (current === null || log === null || typeof ResizeObserver === 'undefined') return undefined;
    let frame = 0;
    const observer = new ResizeObserver(() => {
      observer.disconnect();
      // The log goes to its end first.
      frame = requestAnimationFrame(() => {
        const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight <= NEAR_END_PX;
        if (!isAtEnd || current.offsetHeight <= log.clientHeight) return;
        log.scrollBy({ top: current.getBoundingClientRect().top - log.getBoundingClientRect().top });
      });
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [shown]);
}
