import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { shortcuts } from '../shortcuts.ts';
import { TOUCH } from './browser.ts';

const DIALOG = '[role=dialog], [role=alertdialog]';
const TEXT_FIELD = 'input, textarea';

/** A field that gets the focus. */
type TextField = HTMLInputElement | HTMLTextAreaElement;

/**
 * Gives a field the focus when it is first wanted, instead of the heading of its page, and when somebody asks for the
 * page that they are on: what is typed goes into it and runs no shortcut, also what was typed on the way to the page.
 * Leaves alone whoever types elsewhere or is in a dialog, and touch screens, where the focus would bring up the
 * keyboard.
 */
export function useFirstFocus(field: RefObject<TextField | null>, isWanted: boolean | undefined = false): void {
  const isDone = useRef(false);
  const router: ReturnType<typeof useRouter> | undefined = useRouter({ warn: false });
  useEffect(() => {
    const { current } = field;
    if (!isWanted || current === null) return undefined;
    if (!isDone.current) giveFocus(current);
    isDone.current = true;
    return router?.subscribe('onBeforeNavigate', ({ hrefChanged }) => {
      if (!hrefChanged) giveFocus(current);
    });
  }, [field, isWanted, router]);
}

function giveFocus(field: TextField): void {
  const typed = shortcuts.takeTyped();
  if (matchMedia(TOUCH).matches || isBusyElsewhere(field)) return;
  field.focus({ preventScroll: true });
  // A draft is continued at its end. Fields for addresses have no such position.
  if (field.type === 'email') return;
  const end = field.value.length;
  field.setRangeText(typed, end, end, 'end');
  if (typed !== '') field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

function isBusyElsewhere(field: Element): boolean {
  const active = document.activeElement;
  const dialog = active?.closest(DIALOG) ?? null;
  return active?.matches(TEXT_FIELD) === true || (dialog !== null && !dialog.contains(field));
}
