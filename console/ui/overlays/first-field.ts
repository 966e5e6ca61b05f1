const FIELDS = 'input:not([type="hidden"], :disabled), textarea:not(:disabled), [role="combobox"]';

/** Returns what gets the focus when a window is opened: its first field, or what it is by default. */
export function firstFieldOf(popup: HTMLElement | null, openedBy: string): HTMLElement | true {
  // A touched field would bring up the keyboard of a phone over what is to be read first.
  return openedBy === 'touch' || (popup?.querySelector<HTMLElement>(FIELDS) ?? true);
}
