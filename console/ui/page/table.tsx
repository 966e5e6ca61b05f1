import type { ReactNode } from 'react';
import classes from './table.module.css';

/** A column of a table. */
export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Whether it holds numbers or times, which stand at the end of their line. */
  readonly isNumber?: boolean;
  /** Whether it holds what can be done with the row: its title is read out only. */
  readonly isActions?: boolean;
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
          {columns.map((column) => (
            <th key={column.key} scope="col" className={classOf(column)}>
              {column.isActions === true ? <span className="hidden">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first?.cell(row)}</th>
            {others.map((column) => (
              <td key={column.key} data-title={column.title} className={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf({ isNumber, isActions }: Pick<Column<unknown>, 'isNumber' | 'isActions'>): string | undefined {
  if (isActions === true) return classes.actions;
  return isNumber === true ? classes.number : undefined;
}
