import { type ReactNode, useEffect, useState } from 'react';
import { words } from '../words.ts';
import styles from './code-block.module.css';

const SAID_MS = 2_000;

/** A button that copies a text, and says so. */
export function CopyButton({
  text,
  label = words.copy,
}: {
  readonly text: string;
  readonly label?: string;
}): ReactNode {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setSaid(words.copied),
      () => setSaid(words.copyFailed),
    );
  };
  return (
    <button type="button" className={styles['copy']} onClick={copy}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
