/** Returns the clipboard; undefined on pages over plain HTTP, which have none. */
export function clipboard(): Clipboard | undefined {
  return navigator.clipboard;
}
