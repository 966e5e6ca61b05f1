import type { RefObject } from 'react';

const FIELDS = 'input:not([type="hidden"], :disabled), textarea:not(:disabled), [role="combobox"]';

/** Returns what has the focus go to the first field of a window when that is opened. */
export function toFirstField(popup: RefObject<HTMLElement | null>): (by: string) => HTMLElement | boolean {
  // A touched field would bring up the keyboard of a phone over what is to be read first.
  return (by) => by === 'touch' || (popup.current?.querySelector<HTMLElement>(FIELDS) ?? true);
}
