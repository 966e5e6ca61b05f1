import type { TraceRow } from '../rows/trace-rows.ts';

/** What a key does in the list. */
interface RowMove {
  /** The index of the row that is opened. */
  readonly to?: number;
  /** The id of the row that is opened or closed. */
  readonly toggle?: string;
}

const PAGE = 15;

/** Returns what a key does when the row at `at` is open, -1 for none; undefined when it does nothing. */
export function rowKey(key: string, rows: readonly TraceRow[], at: number): RowMove | undefined {
  const row = rows[at];
  switch (key) {
    case 'ArrowDown':
      return { to: at + 1 };
    case 'ArrowUp':
      return { to: at - 1 };
    case 'PageDown':
      return { to: at + PAGE };
    case 'PageUp':
      return { to: at - PAGE };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: rows.length - 1 };
    case 'ArrowRight':
      return row?.isOpen === false ? { toggle: row.id } : row?.isOpen === true ? { to: at + 1 } : undefined;
    case 'ArrowLeft':
      return row?.isOpen === true ? { toggle: row.id } : moveUp(rows, at);
    case 'Enter':
    case ' ':
      return row?.isOpen === undefined ? { to: at } : { toggle: row.id };
    default:
      return undefined;
  }
}

function moveUp(rows: readonly TraceRow[], at: number): RowMove | undefined {
  const depth = rows[at]?.depth ?? 0;
  const above = rows.slice(0, Math.max(at, 0)).findLastIndex((row) => row.depth < depth);
  return above < 0 ? undefined : { to: above };
}
