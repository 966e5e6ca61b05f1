import { type ReactNode, useEffect, useState } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import styles from './code-block.module.css';

const SAID_MS = 2_000;

/** A button that copies a text, and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string | undefined }): ReactNode {
  const { parts } = useText();
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setSaid(parts.copied),
      () => setSaid(parts.copyFailed),
    );
  };
  return (
    <button type="button" className={styles['copy']} onClick={copy}>
      <span aria-live="polite">{said ?? label ?? parts.copy}</span>
    </button>
  );
}
