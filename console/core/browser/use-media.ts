import { useCallback, useSyncExternalStore } from 'react';

/** The width up to which a screen is narrow, as in the styles. */
export const NARROW = '(max-width: 45rem)';

/** Whether the screen is touched, as in the styles. */
export const TOUCH = '(pointer: coarse)';

/** Returns whether the window meets a media query, and renders anew when that changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
