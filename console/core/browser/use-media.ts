import { useSyncExternalStore } from 'react';

/** The width up to which a screen is narrow, as in the styles. */
export const NARROW = '(max-width: 45rem)';

/** Returns whether the window matches a media query, and renders anew when that changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
