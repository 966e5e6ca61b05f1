import { type RefObject, useEffect, useRef } from 'react';
import { shortcuts } from '../shortcuts.ts';
import { TOUCH } from './use-media.ts';

const DIALOG = '[role=dialog], [role=alertdialog]';
const TEXT_FIELD = 'input, textarea';

/**
 * Gives a field the focus when it is first wanted, instead of the heading of its page: what is typed goes into it and
 * runs no shortcut, also what was typed on the way to the page. Leaves alone whoever types elsewhere or is in a dialog,
 * and touch screens, where the focus would bring up the keyboard.
 */
export function useFirstFocus(
  field: RefObject<HTMLInputElement | HTMLTextAreaElement | null>,
  isWanted: boolean | undefined = false,
): void {
  const isDone = useRef(false);
  useEffect(() => {
    const { current } = field;
    if (!isWanted || isDone.current || current === null) return;
    isDone.current = true;
    const typed = shortcuts.takeTyped();
    if (matchMedia(TOUCH).matches || isBusyElsewhere(current)) return;
    current.focus({ preventScroll: true });
    // A draft is continued at its end. Fields for addresses have no such position.
    if (current.type === 'email') return;
    const end = current.value.length;
    current.setRangeText(typed, end, end, 'end');
    if (typed !== '') current.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, [field, isWanted]);
}

function isBusyElsewhere(field: Element): boolean {
  const active = document.activeElement;
  const dialog = active?.closest(DIALOG) ?? null;
  return active?.matches(TEXT_FIELD) === true || (dialog !== null && !dialog.contains(field));
}
