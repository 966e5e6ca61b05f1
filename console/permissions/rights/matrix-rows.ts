import type { CatalogEntry } from '../queries.ts';

/** A line of the matrix: what can be done in an area, or one right that stands by itself. */
export interface MatrixRow {
  readonly label: string;
  readonly view?: string;
  readonly manage?: string;
}

/** Returns the lines of the matrix, in the order of the catalog. */
export function matrixRows(catalog: readonly CatalogEntry[]): readonly MatrixRow[] {
  const rows = new Map<string, MatrixRow>();
  for (const { key, area, label } of catalog) {
    const [, right] = key.split('.');
    const isOfArea = right === 'view' || right === 'manage';
    // "Agents: view" is the right to view in the area "Agents".
    const row = rows.get(isOfArea ? area : key) ?? { label: isOfArea ? (label.split(':')[0] ?? label) : label };
    rows.set(isOfArea ? area : key, { ...row, [right === 'manage' ? 'manage' : 'view']: key });
  }
  return [...rows.values()];
}

/** Returns the keys with one more or one less. What comes with a key is ticked with it, and taken away before it. */
export function toggle(keys: readonly string[], { view, manage }: MatrixRow, right: 'view' | 'manage'): string[] {
  const others = keys.filter((key) => key !== view && key !== manage);
  const has = (key: string | undefined) => key !== undefined && keys.includes(key);
  const kept = (key: string | undefined) => (key === undefined ? [] : [key]);
  if (right === 'manage') return has(manage) ? [...others, ...kept(view)] : [...others, ...kept(view), ...kept(manage)];
  return has(view) || has(manage) ? others : [...others, ...kept(view)];
}

/** Returns whether the keys of a group grant a right. Who manages also sees. */
export function isGranted(keys: readonly string[], { view, manage }: MatrixRow, right: 'view' | 'manage'): boolean {
  if (manage !== undefined && keys.includes(manage)) return true;
  return right === 'view' && view !== undefined && keys.includes(view);
}

const ADVANCED_MODE = 'ui.advanced_mode';

/** Returns whether the keys of a group open areas whose pages the console shows only to those in advanced mode. */
export function needsAdvancedMode(rows: readonly MatrixRow[], keys: readonly string[]): boolean {
  const isOfArea = ({ view, manage }: MatrixRow) => view !== undefined && manage !== undefined;
  const opens = rows.some((row) => isOfArea(row) && isGranted(keys, row, 'view'));
  return opens && !keys.includes(ADVANCED_MODE) && rows.some(({ view }) => view === ADVANCED_MODE);
}
