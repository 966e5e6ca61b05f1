import { Search } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useFirstFocus } from '../../core/browser/first-focus.ts';
import { useShortcut } from '../../core/shortcuts.ts';
import classes from './controls.module.css';

interface SearchFieldProps {
  readonly label: string;
  /** What is searched for, such as the address says. */
  readonly value: string;
  /** What the search has found, if that is worth a word. */
  readonly status?: string | undefined;
  /** Whether it narrows what is there already: then it is told of each letter, without a pause. */
  readonly isInstant?: boolean;
  /** Whether it gets the focus when the page is opened. */
  readonly isFirst?: boolean;
  /** Called when one has paused in typing, has pressed Enter or has left the field. */
  readonly onChange: (value: string) => void;
}

const PAUSE_MS = 250;

/** Narrows a list by words that are typed; `/` leads to it. */
export function SearchField({ label, value, status, isInstant = false, isFirst, onChange }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const { words, type, report } = useTypedWords(value, onChange);
  const flush = () => report(words);
  useFirstFocus(input, isFirst);
  useShortcut('/', label, () => input.current?.focus());
  return (
    <div className={classes.search}>
      <Search aria-hidden />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={words}
        className={classes.searchInput}
        onChange={({ target }) => {
          type(target.value);
          if (isInstant) report(target.value);
        }}
        onBlur={flush}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          // It searches; a form around it is not sent.
          event.preventDefault();
          flush();
        }}
      />
      <output className={classes.status}>{status}</output>
    </div>
  );
}

/** Returns the words as they are typed, which `onChange` is told after a pause. They follow `value` on the way back. */
function useTypedWords(value: string, onChange: (value: string) => void) {
  const [words, setWords] = useState(value);
  const reported = useRef(value);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    // What was told comes back as the value, perhaps without the blanks around it.
    if (value.trim() === reported.current.trim()) return;
    reported.current = value;
    setWords(value);
  }, [value]);
  const report = useCallback((typed: string) => {
    if (typed === reported.current) return;
    reported.current = typed;
    latest.current(typed);
  }, []);
  useEffect(() => {
    const pause = setTimeout(report, PAUSE_MS, words);
    return () => clearTimeout(pause);
  }, [words, report]);
  return { words, type: setWords, report };
}
