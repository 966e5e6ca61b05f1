import { type ReactNode, useEffect, useState } from 'react';
import { clipboard } from '../../core/browser/insecure-pages.ts';
import styles from './code-block.module.css';
import { useCodeText } from '../text.ts';

const SAID_MS = 2_000;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string | undefined;
  /** Shown in the place of the label. */
  readonly icon?: ReactNode;
}

/** A button that copies a text, and says so. Where a page may not, it shows the text, selected for the keys that do. */
export function CopyButton({ text, label, icon }: CopyButtonProps): ReactNode {
  const words = useCodeText();
  const [said, setSaid] = useState<string>();
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    const board = clipboard();
    if (board === undefined) {
      setIsShown(true);
      return;
    }
    board.writeText(text).then(
      () => setSaid(words.copied),
      () => setSaid(words.copyFailed),
    );
  };
  if (isShown)
    return (
      <textarea
        className={styles['source']}
        aria-label={words.copyByKeys}
        title={words.copyByKeys}
        readOnly
        rows={2}
        value={text}
        ref={selectAll}
        onBlur={() => setIsShown(false)}
      />
    );
  return (
    <button
      type="button"
      className={styles['copy']}
      {...(icon !== undefined && { 'aria-label': label, title: label })}
      onClick={copy}
    >
      <span aria-live="polite">{said ?? icon ?? label ?? words.copy}</span>
    </button>
  );
}

function selectAll(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.select();
}
