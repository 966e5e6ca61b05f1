import { FieldFrame } from '../../ui/controls/field-frame.tsx';
import type { RecordField } from '../../ui/form/use-record.ts';
import { usePermissionsText } from '../text.ts';
import { isGranted, type MatrixRow, needsAdvancedMode, toggle } from './matrix-rows.ts';
import classes from './matrix.module.css';

interface MatrixProps {
  readonly rows: readonly MatrixRow[];
  readonly field: RecordField<readonly string[]>;
  /** Whether nobody here may change it. */
  readonly isReadOnly: boolean;
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
