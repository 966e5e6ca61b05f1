/** Each has a socket of its own, of which a user may have 50 in all tabs. */
const MAX_OPEN = 6;

const open: (() => void)[] = [];

/**
 * Notes that the live words of a sub-agent are shown; `close` hides them. When there are more than six in this tab, the
 * oldest are hidden. Returns what notes that they are shown no longer.
 */
export function openWords(close: () => void): () => void {
  open.push(close);
  while (open.length > MAX_OPEN) open.shift()?.();
  return () => {
    const index = open.indexOf(close);
    if (index !== -1) open.splice(index, 1);
  };
}
