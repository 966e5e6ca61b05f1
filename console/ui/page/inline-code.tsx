import type { ReactNode } from 'react';

/** Shows a text of one line in which what stands between backticks is code. */
export function InlineCode({ text }: { readonly text: string }): ReactNode {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
