import type { ReactNode } from 'react';
import classes from './split-view.module.css';

interface RowListProps<T> {
  /** What is listed, for those who do not see it. */
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
  /** Shows a row: texts and badges, nothing that can be clicked by itself. */
  readonly children: (row: T) => ReactNode;
}

/** The rows of a split view, of which one is open. */
export function RowList<T>({ label, rows, keyOf, selected, onSelect, children }: RowListProps<T>): ReactNode {
  return (
    <ul aria-label={label}>
      {rows.map((row) => {
        const key = keyOf(row);
        return (
          <li key={key}>
            <button
              type="button"
              className={classes.row}
              aria-current={key === selected || undefined}
              onClick={() => onSelect(key)}
            >
              {children(row)}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
