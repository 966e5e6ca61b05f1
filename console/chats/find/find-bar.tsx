import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { ChatConnection } from '../connection/chat-connection.ts';
import type { ChatTurn } from '../connection/merge-messages.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import classes from '../chats.module.css';
import { matchesIn, MIN_CHARACTERS } from './use-found.ts';

/** What is looked for in a chat, and the turn that was found. */
export interface Finding {
  readonly words: string;
  readonly turnId: string | undefined;
}

interface FindBarProps {
  readonly connection: ChatConnection;
  readonly turns: readonly ChatTurn[];
  /** Is told what is looked for, and which turn to show. */
  readonly onFind: (finding: Finding) => void;
  readonly onClose: () => void;
}

const SETTLED_MS = 300;

/**
 * Where words are looked for in a chat, from its end backwards. Messages that are not in the page yet are read as far
 * as it takes to find some.
 */
export function FindBar({ connection, turns, onFind, onClose }: FindBarProps): ReactNode {
  const text = useChatsText();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    field.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  const { words, setWords, count, position, step, isReading, hasOlder } = useFinding({ connection, turns, onFind });
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
    }
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    step(event.shiftKey ? 1 : -1);
  };
  return (
    <search className={`row gap-1 ${classes.findBar}`}>
      <input
        ref={field}
        type="search"
        value={words}
        aria-label={text.find.label}
        placeholder={text.find.label}
        className={classes.field}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={onKey}
      />
      <output className="soft">
        {isReading
          ? text.find.reading
          : words.trim().length < MIN_CHARACTERS
            ? ''
            : text.find.count(position, count, hasOlder)}
      </output>
      <Button icon={ChevronUp} variant="quiet" aria-label={text.find.earlier} onClick={() => step(-1)} />
      <Button icon={ChevronDown} variant="quiet" aria-label={text.find.later} onClick={() => step(1)} />
      <Button variant="quiet" aria-label={text.find.close} onClick={onClose}>
        <X aria-hidden />
      </Button>
    </search>
  );
}

function useFinding({ connection, turns, onFind }: Omit<FindBarProps, 'onClose'>) {
  const text = useChatsText();
  const toast = useToast();
  const [words, setWords] = useState('');
  const [turnId, setTurnId] = useState<string>();
  const [isReading, setIsReading] = useState(false);
  // Counts what was looked for: pages that come late are for words that nobody looks for any more.
  const round = useRef(0);
  const hasOlder = useChatView(connection, ({ olderCount }) => olderCount > 0);
  const found = useMemo(() => matchesIn(turns, words), [turns, words]);
  const index = turnId === undefined ? -1 : found.indexOf(turnId);
  const show = (wanted: string, id: string | undefined) => {
    setTurnId(id);
    onFind({ words: wanted, turnId: id });
  };
  /** Shows the match before a turn, or the newest one; older messages are read until there is one. */
  const seek = async (wanted: string, before: string | undefined) => {
    round.current += 1;
    const own = round.current;
    try {
      for (;;) {
        const known = matchesIn(connection.view.turns, wanted);
        const earlier = known[(before === undefined ? known.length : known.indexOf(before)) - 1];
        if (earlier !== undefined) return show(wanted, earlier);
        if (connection.view.olderCount === 0) return;
        setIsReading(true);
        await connection.loadOlder();
        if (own !== round.current) return;
      }
    } catch {
      toast(text.olderFailed, 'failed');
    } finally {
      if (own === round.current) setIsReading(false);
    }
  };
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      round.current += 1;
    },
    [],
  );
  return {
    words,
    setWords: (changed: string) => {
      round.current += 1;
      setIsReading(false);
      setWords(changed);
      show(changed, undefined);
      clearTimeout(timer.current);
      if (changed.trim().length >= MIN_CHARACTERS)
        timer.current = setTimeout(() => void seek(changed, undefined), SETTLED_MS);
    },
    count: found.length,
    /** Counted from the end of the chat. */
    position: index === -1 ? 0 : found.length - index,
    isReading,
    hasOlder,
    step: (by: -1 | 1) => {
      clearTimeout(timer.current);
      if (words.trim().length < MIN_CHARACTERS) return;
      if (by === 1 && index !== -1) show(words, found[index + 1] ?? turnId);
      else void seek(words, index === -1 ? undefined : turnId);
    },
  };
}
