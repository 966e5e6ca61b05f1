import type { TraceRow } from '../rows/trace-rows.ts';

/** What a key does in the list. */
interface RowMove {
  /** The index of the row that is opened. */
  readonly to?: number;
  /** The id of the row that is opened or closed. */
  readonly toggle?: string;
}

const PAGE = 15;

type Move = (rows: readonly TraceRow[], at: number) => RowMove | undefined;

const KEYS: ReadonlyMap<string, Move> = new Map<string, Move>([
  ['ArrowDown', (_rows, at) => ({ to: at + 1 })],
  ['ArrowUp', (_rows, at) => ({ to: at - 1 })],
  ['PageDown', (_rows, at) => ({ to: at + PAGE })],
  ['PageUp', (_rows, at) => ({ to: at - PAGE })],
  ['Home', () => ({ to: 0 })],
  ['End', (rows) => ({ to: rows.length - 1 })],
  ['ArrowRight', moveIn],
  ['ArrowLeft', moveOut],
  ['Enter', toggle],
  [' ', toggle],
]);

/** Returns what a key does when the row at `at` is open, -1 for none; undefined when it does nothing. */
export function rowKey(key: string, rows: readonly TraceRow[], at: number): RowMove | undefined {
  return KEYS.get(key)?.(rows, at);
}

function toggle(rows: readonly TraceRow[], at: number): RowMove {
  const row = rows[at];
  return row?.isOpen === undefined ? { to: at } : { toggle: row.id };
}

function moveIn(rows: readonly TraceRow[], at: number): RowMove | undefined {
  const row = rows[at];
  if (row?.isOpen === undefined) return undefined;
  return row.isOpen ? { to: at + 1 } : { toggle: row.id };
}

function moveOut(rows: readonly TraceRow[], at: number): RowMove | undefined {
  const row = rows[at];
  return row?.isOpen === true ? { toggle: row.id } : moveUp(rows, at);
}

function moveUp(rows: readonly TraceRow[], at: number): RowMove | undefined {
  const depth = rows[at]?.depth ?? 0;
  const above = rows.slice(0, Math.max(at, 0)).findLastIndex((row) => row.depth < depth);
  return above < 0 ? undefined : { to: above };
}
