import { type ReactNode, useEffect, useRef, useState } from 'react';
import { showInvisible } from '../visible.ts';
import styles from './code-block.module.css';
import './code-colours.css';
import { useCodeText } from '../text.ts';
import { clipboard } from '../../core/browser/browser.ts';

interface CodeBlockProps {
  readonly code: string;
  /** As its fence names it; '' for none. */
  readonly language: string;
  /** Whether it may still grow: it is coloured once it does not. */
  readonly isOpen?: boolean;
}

/** Shows code, with a button that copies it as it was written. */
export function CodeBlock({ code, language, isOpen = false }: CodeBlockProps): ReactNode {
  const words = useCodeText();
  const element = useRef<HTMLElement>(null);
  const text = showInvisible(code);
  useEffect(() => {
    const { current } = element;
    if (isOpen || current?.textContent !== text) return undefined;
    return paintWhenIdle(current, language);
  }, [text, language, isOpen]);
  return (
    <figure className={styles['block']}>
      <figcaption className={styles['head']}>
        <span>{language}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
      <pre className={styles['code']} tabIndex={0} aria-label={words.code(language)}>
        <code ref={element}>{text}</code>
      </pre>
    </figure>
  );
}

function paintWhenIdle(element: Element, language: string): () => void {
  let isGone = false;
  let clear = () => undefined as void;
  const begin = async () => {
    const { paint } = await import('./highlight.ts');
    const painted = await paint(element, language);
    if (isGone) painted();
    else clear = painted;
  };
  // A page without colours is a page all the same.
  const timer = setTimeout(() => void begin().catch(() => undefined), 0);
  return () => {
    isGone = true;
    clearTimeout(timer);
    clear();
  };
}

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
