import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useChatsText } from '../text.ts';
import classes from './files.module.css';

interface LongPasteProps {
  /** What was pasted, as it stands in the draft. */
  readonly pasted: string;
  readonly onAttach: (file: File) => void;
  readonly onKeep: () => void;
}

/** Offers to attach a long text that was pasted, instead of sending it as a part of the message. */
export function LongPaste({ pasted, onAttach, onKeep }: LongPasteProps): ReactNode {
  const text = useChatsText().files;
  return (
    <output className={classes.offer}>
      {text.longPaste(pasted.length)}
      <Button onClick={() => onAttach(new File([pasted], text.pastedName, { type: 'text/plain' }))}>
        {text.attachInstead}
      </Button>
      <Button look="quiet" onClick={onKeep}>
        {text.keepPasted}
      </Button>
    </output>
  );
}
