import { Paperclip, SendHorizontal } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import classes from './composer.module.css';
import { useChatsText } from '../text.ts';

interface ComposerProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  /** What the message is to: shown while nothing is written. */
  readonly placeholder: string;
  /** Why nothing can be sent now; what is typed stays. */
  readonly reason?: string | undefined;
  /** Changes an earlier message of the user, when there is nothing here yet. */
  readonly onEditLast?: (() => void) | undefined;
  /** What is to be known now, in the place of what the keys do. */
  readonly hint?: string | undefined;
  /** Attaches files to the message; undefined where it cannot have any. */
  readonly onFiles?: ((files: readonly File[]) => void) | undefined;
  /** Is told of a long text that was pasted, as it stands in the field. */
  readonly onLongText?: ((text: string) => void) | undefined;
  /** Shown above the field. */
  readonly children?: ReactNode;
}

const MAX_CHARACTERS = 200_000;
/** More pasted characters are better attached as a file. */
const LONG_PASTE = 8_000;
/** The key code of keys that an input method takes. */
const IME_KEY_CODE = 229;

/** Where messages are written. Enter sends, unless an input method is composing; Shift+Enter begins a new line. */
export function Composer({
  text,
  onText,
  onSend,
  placeholder,
  reason,
  onEditLast,
  hint,
  onFiles,
  onLongText,
  children,
}: ComposerProps): ReactNode {
  const words = useChatsText().composer;
  const field = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();
  // As high as what is in it; the style sheet says how high at most.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.blockSize = 'auto';
    current.style.blockSize = text === '' ? '' : `${current.scrollHeight}px`;
  }, [text]);
  const tooLong = text.length > MAX_CHARACTERS ? words.tooLong(text.length) : undefined;
  const isReady = text.trim() !== '' && reason === undefined && tooLong === undefined;
  const send = () => {
    if (!isReady) return;
    onSend();
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowUp' && text === '' && onEditLast !== undefined) {
      event.preventDefault();
      onEditLast();
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const { files } = event.clipboardData;
    if (files.length > 0 && onFiles !== undefined) {
      event.preventDefault();
      onFiles([...files]);
      return;
    }
    const pasted = event.clipboardData.getData('text/plain').replaceAll(/\r\n?/g, '\n');
    if (pasted.length > LONG_PASTE) onLongText?.(pasted);
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {children}
      <div className={classes.row}>
        {onFiles !== undefined && <AttachButton onFiles={onFiles} />}
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={words.label}
          aria-describedby={hintId}
          placeholder={placeholder}
          className={classes.field}
          onChange={({ target }) => onText(target.value)}
          onKeyDown={onKey}
          onPaste={onPaste}
        />
        <Button type="submit" look="primary" reason={reason ?? tooLong}>
          <SendHorizontal aria-hidden />
          {words.send}
        </Button>
      </div>
      <p id={hintId} className={classes.hint}>
        {reason ?? tooLong ?? hint ?? words.hint}
      </p>
    </form>
  );
}

function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): ReactNode {
  const { attach } = useChatsText().files;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look="quiet" aria-label={attach} title={attach} onClick={() => input.current?.click()}>
        <Paperclip aria-hidden />
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={attach}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}

// Enter accepts what an input method proposes: browsers differ in how they say that it does.
function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === IME_KEY_CODE;
}
