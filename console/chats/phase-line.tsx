import { type ReactNode, useEffect, useRef, useState } from 'react';
import { estimateTokens } from '../../domain/transcripts/model-message.ts';
import { useNow } from '../core/clock.ts';
import { formatDuration, timeOfDay } from '../core/text/formats.ts';
import classes from './chats.module.css';
import type { ChatTurn, Message } from './connection/merge-messages.ts';
import type { ChatConnection } from './connection/chat-connection.ts';
import type { Phase } from './phase.ts';
import { type ChatsText, useChatsText } from './text.ts';

interface PhaseLineProps {
  readonly phase: Phase;
  readonly connection: ChatConnection;
}

/** Says what happens in the chat right now; a wait counts down. */
export function PhaseLine({ phase, connection }: PhaseLineProps): ReactNode {
  return (
    <span className={`soft ms-auto ${classes.phase}`}>
      <PhaseWords phase={phase} connection={connection} />
    </span>
  );
}

function PhaseWords({ phase, connection }: PhaseLineProps): ReactNode {
  const text = useChatsText();
  if (phase.kind === 'provider' && phase.until !== null) return <ProviderWait until={phase.until} />;
  if (phase.kind === 'writing') return <WritingRate connection={connection} />;
  return phase.kind === 'stopping' ? <Stopping count={phase.count} /> : wordsOf(phase, text);
}

function ProviderWait({ until }: { readonly until: string }): ReactNode {
  const text = useChatsText();
  const left = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1_000));
  return text.phase.provider(timeOfDay(until), formatDuration(left));
}

/** Most steps stop at once; from then on it is said that some do not. */
const STOP_MS = 2_000;

function Stopping({ count }: { readonly count: number }): ReactNode {
  const text = useChatsText().phase;
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), STOP_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLong && count > 0 ? text.stillRunning(count) : text.stopping(count);
}

function wordsOf(phase: Phase, text: ChatsText): string {
  if ('count' in phase) return text.phase[phase.kind](phase.count);
  return phase.kind === 'provider' ? text.phase.providerSoon : text.phase[phase.kind];
}

function endWordsOf({ content, metadata_: { status } }: Message, text: ChatsText): string {
  if (status === 'failed') return text.phase.failed;
  return text.phase.ended(content.split(/\s+/).filter(Boolean).length);
}

interface AnnouncementProps {
  readonly phase: Phase;
  /** Whether the messages are known: an answer that is read with the chat is not told as one that has come. */
  readonly isLoaded: boolean;
  readonly lastTurn: ChatTurn | undefined;
}

interface Said {
  readonly kind: Phase['kind'];
  /** When, in milliseconds since 1970. */
  readonly at: number;
  readonly isLoaded: boolean;
  readonly answerId: string | undefined;
}

const TOOLS_EVERY_MS = 5_000;

/** Tells screen readers of the begin, the work and the end of an answer; never its words as they come. */
export function Announcement({ phase, isLoaded, lastTurn }: AnnouncementProps): ReactNode {
  const text = useChatsText();
  const said = useRef<Said>({ kind: phase.kind, at: 0, isLoaded: false, answerId: undefined });
  const [words, setWords] = useState('');
  const answer = lastTurn?.answer;
  useEffect(() => {
    if (isLoaded && !said.current.isLoaded) said.current = { ...said.current, isLoaded, answerId: answer?.id };
    const before = said.current;
    if (isLoaded && answer !== undefined && answer.id !== before.answerId) {
      said.current = { kind: phase.kind, at: Date.now(), isLoaded, answerId: answer.id };
      setWords(endWordsOf(answer, text));
      return;
    }
    if (phase.kind === before.kind || phase.kind === 'idle') return;
    if (phase.kind === 'tools' && Date.now() - before.at < TOOLS_EVERY_MS) return;
    said.current = { ...before, kind: phase.kind, at: Date.now() };
    setWords(phase.kind === 'writing' ? text.phase.begun : wordsOf(phase, text));
  }, [phase, isLoaded, answer, text]);
  return <output className="hidden">{words}</output>;
}

const EVERY_MS = 1_000;

/** The seconds over which the rate is taken. */
const SECONDS = 4;

/** Says that an answer is being written, and how fast: tokens are estimated from what has come in the last seconds. */
function WritingRate({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText().phase;
  const [rate, setRate] = useState<number>();
  useEffect(() => {
    let lengths: readonly number[] = [];
    const measure = () => {
      const shown = connection.view.live.at(-1)?.text ?? '';
      const [first = shown.length] = lengths;
      lengths = [...lengths, shown.length].slice(-SECONDS);
      if (lengths.length > 1) setRate(Math.round(estimateTokens(shown.slice(first)) / (lengths.length - 1)));
    };
    measure();
    const timer = setInterval(measure, EVERY_MS);
    return () => clearInterval(timer);
  }, [connection]);
  return rate === undefined || rate === 0 ? text.writing : text.rate(rate);
}
