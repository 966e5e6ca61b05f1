import { Plus, X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { isObject } from '../../../domain/core/objects.ts';
import { useFirstFocus } from '../../core/browser/first-focus.ts';
import { Button } from '../controls/button.tsx';
import controls from '../controls/controls.module.css';
import { readJson, writeJson } from '../editor/json-text.ts';
import { useDiscards, useSaveBlock } from '../form/save-blocks.ts';
import { FieldFrame } from '../fields/text-fields.tsx';
import { isOneLine, linesIn } from '../schema-form/schema-fields.tsx';
import classes from './entries-field.module.css';
import { type EntriesText, useEntriesText } from './text.ts';

type Entries<V> = Readonly<Record<string, V>>;

interface EntriesFieldProps<V> {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly value: Entries<V>;
  readonly onValueChange: (value: Record<string, V>) => void;
  /** Whether the values are hidden, as passwords are. */
  readonly isSecret?: boolean;
  /** Whether it is the value of an entry, whose name stands beside it. */
  readonly isNested?: boolean;
}

/**
 * Edits an object of JSON as rows of a name and a value, which are added and removed. A list of texts has one text a
 * line, an object has rows of its own, and any other value is written as JSON. Rows that form no object keep the record
 * form around from being saved.
 */
export function EntriesField<V>(props: EntriesFieldProps<V>): ReactNode {
  const { label, name, hint, isSecret = false, isNested = false, value, onValueChange } = props;
  const text = useEntriesText();
  const [stored, discards] = [writeJson(value), useDiscards()];
  const [typed, setTyped] = useState({ rows: rowsOf(value), stands: stored, discards });
  const [added, setAdded] = useState<number>();
  // The rows are kept as they were typed unless the value was changed from outside, or all changes were discarded.
  const isTyped = typed.stands === stored && typed.discards === discards;
  const rows = isTyped ? typed.rows : rowsOf(value);
  const fault = faultOf(rows, text);
  useSaveBlock(name, fault && `${label}: ${fault}`, true);
  const change = (next: readonly Row[]) => {
    const fits = faultOf(next, text) === undefined;
    const entries = fits ? entriesIn(next) : value;
    setTyped({ rows: next, stands: writeJson(entries), discards });
    if (fits) onValueChange(entries as Record<string, V>);
  };
  return (
    <FieldFrame label={label} name={name} hint={hint} layout={isNested ? 'hidden' : 'above'} isLabelled={false}>
      {rows.map((row, at) => (
        <EntryRow
          key={at}
          label={label}
          path={name}
          row={row}
          isSecret={isSecret}
          isNew={at === added}
          onChange={(changed) => change(rows.with(at, changed))}
          onRemove={() => change(rows.toSpliced(at, 1))}
        />
      ))}
      <output className={controls.error}>{fault}</output>
      <div>
        <Button
          icon={Plus}
          aria-label={text.addTo(label)}
          onClick={() => {
            setAdded(rows.length);
            change([...rows, { name: '', kind: 'text', text: '' }]);
          }}
        >
          {text.add}
        </Button>
      </div>
    </FieldFrame>
  );
}

interface EntryRowProps {
  /** What the entries are. */
  readonly label: string;
  readonly path: string;
  readonly row: Row;
  readonly isSecret: boolean;
  readonly isNew: boolean;
  readonly onChange: (row: Row) => void;
  readonly onRemove: () => void;
}

function EntryRow({ label, path, row, isSecret, isNew, onChange, onRemove }: EntryRowProps): ReactNode {
  const text = useEntriesText();
  const nameField = useRef<HTMLInputElement>(null);
  useFirstFocus(nameField, isNew);
  return (
    <div className={classes.entry}>
      <input
        ref={nameField}
        className={controls.input}
        aria-label={text.nameIn(label)}
        placeholder={text.name}
        value={row.name}
        onChange={({ target }) => onChange({ ...row, name: target.value })}
      />
      <Button icon={X} variant="quiet" aria-label={text.remove(row.name)} onClick={onRemove} />
      <div className={row.kind === 'entries' ? `${classes.value} ${classes.nested}` : classes.value}>
        {row.kind === 'entries' ? (
          <EntriesField
            isNested
            label={row.name}
            name={`${path}.${row.name}`}
            value={row.value}
            onValueChange={(value) => onChange({ ...row, value })}
          />
        ) : (
          <EntryText row={row} isSecret={isSecret} onChange={(changed) => onChange({ ...row, text: changed })} />
        )}
      </div>
    </div>
  );
}

interface EntryTextProps {
  readonly row: Row & { readonly text: string };
  readonly isSecret: boolean;
  readonly onChange: (text: string) => void;
}

function EntryText({ row, isSecret, onChange }: EntryTextProps): ReactNode {
  const text = useEntriesText();
  const control = {
    'aria-label': text.valueIn(row.name),
    placeholder: row.kind === 'list' ? text.onePerLine : text.value,
    value: row.text,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  if (isSecret) return <input {...control} className={controls.input} type="password" autoComplete="off" />;
  return <textarea {...control} className={`${controls.input} ${classes.text}`} rows={1} />;
}

/** An entry as it is typed. */
type Row = { readonly name: string } & (
  | { readonly kind: 'text' | 'list' | 'json'; readonly text: string }
  | { readonly kind: 'entries'; readonly value: Entries<unknown> }
);

function rowsOf(entries: Entries<unknown>): readonly Row[] {
  return Object.entries(entries).map(([name, value]) => {
    if (typeof value === 'string') return { name, kind: 'text', text: value };
    if (isObject(value)) return { name, kind: 'entries', value };
    if (Array.isArray(value) && value.every(isOneLine)) return { name, kind: 'list', text: value.join('\n') };
    return { name, kind: 'json', text: writeJson(value) };
  });
}

function entriesIn(rows: readonly Row[]): Record<string, unknown> {
  return Object.fromEntries(rows.filter((row) => !isBlank(row)).map((row) => [row.name.trim(), valueOf(row)]));
}

function valueOf(row: Row): unknown {
  if (row.kind === 'entries') return row.value;
  if (row.kind === 'text') return row.text;
  if (row.kind === 'list') return linesIn(row.text);
  const read = readJson(row.text);
  return 'value' in read ? read.value : row.text;
}

/** Says why rows form no object; undefined when they do. A row that was only just added does no harm. */
function faultOf(rows: readonly Row[], text: EntriesText): string | undefined {
  const filled = rows.filter((row) => !isBlank(row));
  const names = filled.map(({ name }) => name.trim());
  if (names.includes('')) return text.noName;
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) return text.twice(twice);
  const unread = filled.find((row) => row.kind === 'json' && 'fault' in readJson(row.text));
  return unread && text.notJson(unread.name);
}

function isBlank(row: Row): boolean {
  return row.name.trim() === '' && row.kind === 'text' && row.text === '';
}
