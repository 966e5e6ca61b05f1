import { FieldFrame } from '../ui/fields/text-fields.tsx';
import type { RecordField } from '../ui/form/use-record.ts';
import type { CatalogEntry } from './queries.ts';
import classes from './permissions.module.css';
import { usePermissionsText } from './text.ts';

interface MatrixProps {
  readonly rows: readonly MatrixRow[];
  readonly field: RecordField<readonly string[]>;
  /** Whether nobody here may change it. */
  readonly isReadOnly: boolean;
}

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

const RIGHTS = ['view', 'manage'] as const;

/** Who may do what, area by area. */
export function Matrix({ rows, field: { name, value, onValueChange }, isReadOnly }: MatrixProps) {
  const text = usePermissionsText();
  const setAll = (right: 'view' | 'manage', isOn: boolean) => {
    const changed = rows.filter((row) => row[right] !== undefined && isGranted(value, row, right) !== isOn);
    onValueChange(changed.reduce<readonly string[]>((keys, row) => toggle(keys, row, right), value));
  };
  return (
    <FieldFrame
      label={text.matrix}
      name={name}
      hint={needsAdvancedMode(rows, value) ? `${text.matrixWhy} ${text.needsAdvancedMode}` : text.matrixWhy}
      isLabelled={false}
    >
      <table className={classes.matrix} aria-label={text.matrix}>
        <thead>
          <tr>
            <th scope="col">{text.area}</th>
            {RIGHTS.map((right) => (
              <th key={right} scope="col" className={classes.cell}>
                {text[right]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr className={classes.all}>
            <th scope="row">{text.everything}</th>
            {RIGHTS.map((right) => (
              <Cell
                key={right}
                label={text.cell(text.everything, text[right])}
                isOn={rows.every((row) => row[right] === undefined || isGranted(value, row, right))}
                isReadOnly={isReadOnly}
                onChange={(isOn) => setAll(right, isOn)}
              />
            ))}
          </tr>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              {RIGHTS.map((right) =>
                row[right] === undefined ? (
                  <td key={right} className={classes.cell}>
                    {text.without}
                  </td>
                ) : (
                  <Cell
                    key={right}
                    label={row.manage === undefined ? row.label : text.cell(row.label, text[right])}
                    isOn={isGranted(value, row, right)}
                    isReadOnly={isReadOnly}
                    onChange={() => onValueChange(toggle(value, row, right))}
                  />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </FieldFrame>
  );
}

interface CellProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Cell({ label, isOn, isReadOnly, onChange }: CellProps) {
  return (
    <td className={classes.cell}>
      <label className={classes.target}>
        <input
          type="checkbox"
          aria-label={label}
          checked={isOn}
          disabled={isReadOnly}
          onChange={({ target }) => onChange(target.checked)}
        />
      </label>
    </td>
  );
}
