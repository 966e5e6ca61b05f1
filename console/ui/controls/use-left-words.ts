import { type KeyboardEvent, useRef, useState } from 'react';
import type { Combobox } from '@base-ui/react/combobox';

/**
 * Returns the words that somebody has typed into a combobox and then left without choosing anything, '' for none; what
 * notices them; and what keeps Enter from sending the form along with them. The field shows what is chosen again.
 */
export function useLeftWords(): readonly [
  string,
  Pick<Combobox.Root.Props<unknown>, 'onInputValueChange' | 'onOpenChange'>,
  (event: KeyboardEvent) => void,
] {
  const [left, setLeft] = useState('');
  const typed = useRef('');
  return [
    left,
    {
      onInputValueChange: (words, { reason }) => {
        typed.current = reason === 'input-change' ? words.trim() : '';
        if (reason === 'input-change') setLeft('');
      },
      onOpenChange: (isOpen, { reason }) => {
        if (isOpen) return;
        setLeft(reason === 'item-press' || reason === 'escape-key' ? '' : typed.current);
        typed.current = '';
      },
    },
    (event) => {
      // Also while it says that nothing was chosen: the field is empty again then, and Enter is pressed twice easily.
      if (event.key === 'Enter' && (typed.current !== '' || left !== '')) event.preventDefault();
    },
  ];
}
