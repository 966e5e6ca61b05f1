import { useShortcut } from '../../core/shortcuts.ts';
import { useRef } from 'react';
import classes from './search-field.module.css';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  /** What the search has found, if that is worth a word. */
  readonly status?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Narrows a list while one types; `/` leads to it. */
export function SearchField({ label, value, status, onChange }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', label, () => input.current?.focus());
  return (
    <div className={classes.search}>
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        className={classes.input}
        onChange={({ target }) => onChange(target.value)}
      />
      <output className={classes.status}>{status}</output>
    </div>
  );
}
