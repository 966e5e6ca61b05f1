import { useEffect, useState } from 'react';

/** The most cards of a page that hold a socket. */
const MOST = 6;

const waiting = new Set<() => void>();
let taken = 0;

/** Returns whether a card may hold a socket: only so many do at once, and the next one in line takes a free place. */
export function useSlot(): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => {
    let isMine = false;
    const take = () => {
      if (taken >= MOST) return;
      taken += 1;
      isMine = true;
      waiting.delete(take);
      setHas(true);
    };
    waiting.add(take);
    take();
    return () => {
      waiting.delete(take);
      if (!isMine) return;
      taken -= 1;
      [...waiting][0]?.();
    };
  }, []);
  return has;
}
