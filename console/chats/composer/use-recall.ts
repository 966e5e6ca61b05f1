import { type KeyboardEvent, useState } from 'react';

interface RecallOptions {
  readonly text: string;
  readonly onText: (text: string, caret: number) => void;
  /** What was sent before, the newest first. */
  readonly sent: readonly string[] | undefined;
}

/**
 * Returns what brings back earlier messages by the arrow keys, as a shell does: up from an empty field, and on as long
 * as nothing is changed in what came back.
 */
export function useRecall({ text, onText, sent = [] }: RecallOptions) {
  const [place, setPlace] = useState(-1);
  const shown = place === -1 ? '' : sent[place];
  return {
    /** Returns whether a key was one of them. */
    takesKey: (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
      const by = stepOf(event);
      if (by === 0 || (text !== '' && text !== shown)) return false;
      const next = (text === '' ? -1 : place) + by;
      const recalled = next < 0 ? '' : sent[next];
      if (recalled === undefined || next < -1) return false;
      event.preventDefault();
      setPlace(next);
      onText(recalled, by === 1 ? 0 : recalled.length);
      return true;
    },
  };
}

// Within a text of several lines the arrows move the caret, until it is at the first or the last of them.
function stepOf({ key, shiftKey, altKey, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>) {
  if (shiftKey || altKey || ctrlKey || metaKey) return 0;
  const { value, selectionStart: start, selectionEnd: end } = currentTarget;
  if (key === 'ArrowUp' && !value.slice(0, start).includes('\n')) return 1;
  return key === 'ArrowDown' && !value.slice(end).includes('\n') ? -1 : 0;
}
