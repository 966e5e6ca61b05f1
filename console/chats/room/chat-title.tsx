import { Pencil } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { nameTab } from '../../core/browser/tab-title.ts';
import { Button } from '../../ui/controls/button.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chat-page.module.css';
import { useChatsText } from '../text.ts';

interface ChatTitleProps {
  readonly title: string;
  /** Undefined when it cannot be changed. */
  readonly onRename: ((title: string) => void) | undefined;
}

/** The heading of a chat, which can be changed in its place. It has the focus when the chat is opened. */
export function ChatTitle({ title, onRename }: ChatTitleProps): ReactNode {
  const text = useChatsText();
  const heading = useRef<HTMLHeadingElement>(null);
  const [draft, setDraft] = useState<string>();
  useEffect(() => {
    nameTab(title);
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  if (draft === undefined) {
    return (
      <>
        <h1 ref={heading} tabIndex={-1} className={classes.title}>
          {showInvisible(title)}
        </h1>
        {onRename !== undefined && (
          <Button look="quiet" aria-label={text.rename} onClick={() => setDraft(title)}>
            <Pencil aria-hidden />
          </Button>
        )}
      </>
    );
  }
  return (
    <form
      className={classes.rename}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== '' && draft !== title) onRename?.(draft.trim());
        setDraft(undefined);
      }}
    >
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it replaces the button that was pressed
        autoFocus
        value={draft}
        maxLength={200}
        aria-label={text.titleLabel}
        className={classes.titleField}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && setDraft(undefined)}
      />
      <Button type="submit">{text.save}</Button>
    </form>
  );
}
