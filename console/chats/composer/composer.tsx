import { Paperclip, SendHorizontal, Square } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { browserStorage } from '../../core/browser/browser.ts';
import { useFirstFocus } from '../../core/browser/first-focus.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FileButton } from '../../ui/files/files.tsx';
import { useChatsText } from '../text.ts';
import { ChoiceList, type Command, type Mention, useChoices } from './choices.tsx';
import classes from './composer.module.css';

interface ComposerProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  /** What the message is to: shown while nothing is written. */
  readonly placeholder: string;
  /** Why nothing can be sent now; what is typed stays. */
  readonly reason?: string | undefined;
  /** Stops the running answer; undefined where none runs that the user may stop. */
  readonly onStop?: (() => void) | undefined;
  /** Whether the running answer is being stopped. */
  readonly isStopping?: boolean;
  /** What Escape does, such as leaving an earlier message as it was that is being changed; undefined for nothing. */
  readonly onEscape?: (() => void) | undefined;
  /** Changes the last message that waits, when there is nothing here yet; undefined where none waits. */
  readonly onEditQueued?: (() => void) | undefined;
  /** What was sent before, the newest first. */
  readonly sent?: readonly string[] | undefined;
  /** What is to be known now, in the place of what the keys do. */
  readonly hint?: string | undefined;
  /** Attaches files to the message; undefined where it cannot have any. */
  readonly onFiles?: ((files: readonly File[]) => void) | undefined;
  /** Is told of a long text that was pasted, as it stands in the field. */
  readonly onLongText?: ((text: string) => void) | undefined;
  /** What a slash and a word do. */
  readonly commands?: readonly Command[] | undefined;
  /** Whom a message can name. */
  readonly mentions?: readonly Mention[] | undefined;
  /** Shown at the end of the line below the field. */
  readonly aside?: ReactNode;
  /** Whether the field gets the focus when the page is opened. */
  readonly isFirst: boolean;
  /** What the field gets the focus for later, such as a question that is changed in it; undefined for nothing. */
  readonly reach?: string | undefined;
  /** Shown above the field. */
  readonly children?: ReactNode;
}

const MAX_CHARACTERS = 200_000;

/** Whether the browser makes a field as high as its text by itself. */
const FITS_BY_STYLE = (globalThis.CSS as typeof CSS | undefined)?.supports('field-sizing', 'content') === true;

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
  onStop,
  isStopping = false,
  onEscape,
  onEditQueued,
  sent,
  hint,
  onFiles,
  onLongText,
  commands,
  mentions,
  aside,
  isFirst,
  reach,
  children,
}: ComposerProps): ReactNode {
  const chatsText = useChatsText();
  const words = chatsText.composer;
  const field = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();
  const sendKey = useSendKey();
  const [caret, setCaret] = useState<number>();
  const appliedCaret = useRef<number>(undefined);
  const write = (written: string, at: number) => {
    onText(written);
    setCaret(at);
    appliedCaret.current = at;
  };
  const choices = useChoices({ text, onText: write, caret, onLeave: () => setCaret(undefined), commands, mentions });
  const recall = useRecall({ text, onText: write, sent });
  // As high as what is in it; the style sheet says how high at most. Reading the height lays the whole page out.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null || FITS_BY_STYLE) return;
    current.style.blockSize = 'auto';
    current.style.blockSize = text === '' ? '' : `${current.scrollHeight}px`;
  }, [text]);
  // A field leaves the caret at the end of what was not typed.
  useLayoutEffect(() => {
    const { current: at } = appliedCaret;
    appliedCaret.current = undefined;
    if (at !== undefined) field.current?.setSelectionRange(at, at);
  });
  useFirstFocus(field, isFirst);
  // Not for what was begun before the page was opened, which may be read first on a touch screen.
  const reached = useRef(reach);
  useEffect(() => {
    if (reach !== undefined && reach !== reached.current) field.current?.focus();
    reached.current = reach;
  }, [reach]);
  const tooLong = text.length > MAX_CHARACTERS ? words.tooLong(text.length) : undefined;
  const isOff = reason ?? tooLong;
  const isReady = text.trim() !== '' && isOff === undefined;
  const send = () => {
    if (!isReady) return;
    onSend();
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event) || choices.takesKey(event)) return;
    if (event.key === 'Escape' && onEscape !== undefined) {
      event.preventDefault();
      onEscape();
    }
    if (event.key === 'ArrowUp' && text === '' && onEditQueued !== undefined) {
      event.preventDefault();
      onEditQueued();
      return;
    }
    if (recall.takesKey(event) || !isSending(event, sendKey)) return;
    event.preventDefault();
    send();
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
      <ChoiceList id={choices.id} choices={choices.offered} active={choices.active} onRun={choices.run} />
      <div className={classes.row}>
        {onFiles !== undefined && <AttachButton onFiles={onFiles} />}
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={words.label}
          aria-describedby={hintId}
          {...choices.field}
          placeholder={placeholder}
          className={classes.field}
          onChange={({ target }) => {
            onText(target.value);
            setCaret(target.selectionStart);
          }}
          onSelect={({ currentTarget: { selectionStart: at } }) =>
            setCaret((known) => (known === at ? known : undefined))
          }
          onBlur={() => setCaret(undefined)}
          onKeyDown={onKey}
          onPaste={(event) => takePasted(event, { onFiles, onLongText })}
        />
        {onStop !== undefined && (
          <Button icon={Square} variant="danger" title={chatsText.stopHint} busy={isStopping} onClick={onStop}>
            {chatsText.stop}
          </Button>
        )}
        <Button icon={SendHorizontal} type="submit" variant="primary" reason={isOff}>
          {words.send}
        </Button>
      </div>
      <div className={classes.below}>
        <p id={hintId} className="faint">
          {isOff ?? hint ?? <span className={classes.keys}>{sendKey === 'enter' ? words.hint : words.modHint}</span>}
        </p>
        {aside}
      </div>
    </form>
  );
}

/** The key that sends a message: Enter, or Enter with Ctrl or ⌘, and the other one begins a new line. */
export type SendKey = 'enter' | 'mod-enter';

const KEY = 'everturn.send-key';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function chosen(): SendKey {
  return browserStorage.read(KEY) === 'mod-enter' ? 'mod-enter' : 'enter';
}

/** Returns the key that sends messages in this browser. */
export function useSendKey(): SendKey {
  return useSyncExternalStore(subscribe, chosen);
}

/** Chooses the key that sends messages, for this browser. */
export function chooseSendKey(key: SendKey): void {
  if (key === 'enter') browserStorage.remove(KEY);
  else browserStorage.write(KEY, key);
  for (const listener of listeners) listener();
}

/** A button that lets files be chosen. */
function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): ReactNode {
  const { attach } = useChatsText().files;
  return (
    <FileButton
      icon={Paperclip}
      variant="quiet"
      label={attach}
      aria-label={attach}
      title={attach}
      multiple
      onFiles={onFiles}
    />
  );
}

function takePasted(
  event: ClipboardEvent,
  { onFiles, onLongText }: Pick<ComposerProps, 'onFiles' | 'onLongText'>,
): void {
  const { files } = event.clipboardData;
  if (files.length > 0 && onFiles !== undefined) {
    event.preventDefault();
    onFiles([...files]);
    return;
  }
  const pasted = event.clipboardData.getData('text/plain').replaceAll(/\r\n?/g, '\n');
  if (pasted.length > LONG_PASTE) onLongText?.(pasted);
}

function isSending({ key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent, sendKey: SendKey): boolean {
  if (key !== 'Enter' || shiftKey || altKey) return false;
  return sendKey === 'enter' || ctrlKey || metaKey;
}

// Enter accepts what an input method proposes: browsers differ in how they say that it does.
function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === IME_KEY_CODE;
}

interface LongPasteProps {
  /** The text that was pasted; '' for none. */
  readonly pasted: string;
  readonly onPasted: (text: string) => void;
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
}

/** Offers to attach a long text that stands in the draft, instead of sending it as a part of the message. */
export function LongPaste({ pasted, onPasted, draft, onDraft, onFiles }: LongPasteProps): ReactNode {
  const text = useChatsText().files;
  if (onFiles === undefined || pasted === '' || !draft.includes(pasted)) return null;
  const attach = (): void => {
    onDraft(draft.replace(pasted, () => '').trim());
    onPasted('');
    onFiles([new File([pasted], text.pastedName, { type: 'text/plain' })]);
  };
  return (
    <output className={`row small ${classes.offer}`}>
      {text.longPaste(pasted.length)}
      <Button onClick={attach}>{text.attachInstead}</Button>
      <Button variant="quiet" onClick={() => onPasted('')}>
        {text.keepPasted}
      </Button>
    </output>
  );
}

interface RecallOptions {
  readonly text: string;
  readonly onText: (text: string, caret: number) => void;
  /** What was sent before, the newest first. */
  readonly sent: readonly string[] | undefined;
}

/**
 * Returns what brings back earlier messages by the arrow keys, as a shell does: up from an empty field, and on as long
 * as nothing is changed in what came back.
 */
export function useRecall({ text, onText, sent = [] }: RecallOptions) {
  const [index, setIndex] = useState(-1);
  const shown = index === -1 ? '' : sent[index];
  return {
    /** Returns whether a key was one of them. */
    takesKey: (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
      const by = stepOf(event);
      if (by === 0 || (text !== '' && text !== shown)) return false;
      const next = (text === '' ? -1 : index) + by;
      const recalled = next < 0 ? '' : sent[next];
      if (recalled === undefined || next < -1) return false;
      event.preventDefault();
      setIndex(next);
      onText(recalled, by === 1 ? 0 : recalled.length);
      return true;
    },
  };
}

// Within a text of several lines the arrows move the caret, until it is at the first or the last of them.
function stepOf({ key, shiftKey, altKey, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>) {
  if (shiftKey || altKey || ctrlKey || metaKey) return 0;
  const { value, selectionStart: start, selectionEnd: end } = currentTarget;
  if (key === 'ArrowUp' && !value.slice(0, start).includes('\n')) return 1;
  return key === 'ArrowDown' && !value.slice(end).includes('\n') ? -1 : 0;
}
