import type { ReactNode } from 'react';
import classes from './table.module.css';

/** A column of a table. */
export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Whether it holds numbers or times, which stand at the end of their line. */
  readonly isNumber?: boolean;
}

interface TableProps<T> {
  /** What the table lists, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** A table whose rows become cards on a narrow screen. The first column is the heading of its row. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  const [first, ...others] = columns;
  return (
    <table className={classes.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ key, title, isNumber }) => (
            <th key={key} scope="col" className={isNumber === true ? classes.number : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first?.cell(row)}</th>
            {others.map(({ key, title, cell, isNumber }) => (
              <td key={key} data-title={title} className={isNumber === true ? classes.number : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
