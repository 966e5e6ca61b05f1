import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNow } from '../core/clock.ts';
import { timeOfDay } from '../core/text/times.ts';
import type { Text } from '../core/text/en.ts';
import { useText } from '../core/text/text-context.tsx';
import type { ChatTurn } from './connection/index.ts';
import type { Phase } from './phase.ts';
import classes from './chat-page.module.css';

/** Says what happens in the chat right now; a wait counts down. */
export function PhaseLine({ phase }: { readonly phase: Phase }): ReactNode {
  const text = useText().chats;
  if (phase.kind === 'provider' && phase.until !== null) return <ProviderWait until={phase.until} />;
  return <span className={classes.phase}>{wordsOf(phase, text)}</span>;
}

function ProviderWait({ until }: { readonly until: string }): ReactNode {
  const text = useText().chats;
  const left = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1_000));
  return <span className={classes.phase}>{text.phase.provider(timeOfDay(until), text.seconds(left))}</span>;
}

function wordsOf(phase: Phase, text: Text['chats']): string {
  if (phase.kind === 'tools') return text.phase.tools(phase.count);
  if (phase.kind === 'agents') return text.phase.agents(phase.count);
  return phase.kind === 'provider' ? text.phase.providerSoon : text.phase[phase.kind];
}

interface AnnouncementProps {
  readonly phase: Phase;
  readonly lastTurn: ChatTurn | undefined;
}

const TOOLS_EVERY_MS = 5_000;

/** Tells screen readers of the begin, the work and the end of an answer; never its words as they come. */
export function Announcement({ phase, lastTurn }: AnnouncementProps): ReactNode {
  const text = useText().chats;
  const said = useRef({ kind: phase.kind, at: 0, answerId: lastTurn?.answer?.id });
  const [words, setWords] = useState('');
  const answer = lastTurn?.answer;
  useEffect(() => {
    const before = said.current;
    if (answer !== undefined && answer.id !== before.answerId) {
      said.current = { kind: phase.kind, at: Date.now(), answerId: answer.id };
      const count = answer.content.split(/\s+/).filter(Boolean).length;
      setWords(answer.metadata_.status === 'failed' ? text.phase.failed : text.phase.ended(count));
      return;
    }
    if (phase.kind === before.kind || phase.kind === 'idle') return;
    if (phase.kind === 'tools' && Date.now() - before.at < TOOLS_EVERY_MS) return;
    said.current = { ...before, kind: phase.kind, at: Date.now() };
    setWords(phase.kind === 'writing' ? text.phase.begun : wordsOf(phase, text));
  }, [phase, answer, text]);
  return <output className={classes.hidden}>{words}</output>;
}
