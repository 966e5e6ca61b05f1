import { type ReactNode, useState } from 'react';
import { useShortcut } from '../../core/shortcuts.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useBoardText } from '../text.ts';

interface AddCard<S extends string> {
  /** Opens the dialog for a column. */
  readonly open: (column: string) => void;
  /** Notes the column that somebody is in: `c` adds there. */
  readonly enter: (column: string) => void;
  /** The column for which the dialog is open. */
  readonly column: S | undefined;
  readonly close: () => void;
}

/** Returns what adds a card to a column, by a button or by `c`; `isOff` where nobody can. */
export function useAddCard<S extends string>(first: S, isOff: boolean): AddCard<S> {
  const text = useBoardText();
  const [column, setColumn] = useState<S>();
  const [entered, setEntered] = useState<S>(first);
  useShortcut('c', text.add, () => {
    if (!isOff) setColumn(entered);
  });
  return {
    open: (key) => setColumn(key as S),
    enter: (key) => setEntered(key as S),
    column,
    close: () => setColumn(undefined),
  };
}

interface AddDialogProps {
  /** The column that is added to, as it is called; undefined while nothing is added. */
  readonly title: string | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Adds a card to a column. */
export function AddDialog({ title, onClose, children }: AddDialogProps): ReactNode {
  const text = useBoardText();
  return (
    <Dialog open={title !== undefined} onClose={onClose} title={text.addTo(title ?? '')}>
      {title !== undefined && children}
    </Dialog>
  );
}
