import { Link } from '@tanstack/react-router';
import { Bot, Check, CircleAlert, CircleDashed, CircleSlash, Hourglass, Square, TriangleAlert } from 'lucide-react';
import { type ReactNode, lazy, Suspense, useEffect, useState } from 'react';
import { CallDecision } from '../../approvals/index.ts';
import { useNow } from '../../core/clock.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatDuration } from '../../core/text/formats.ts';
import type { CallData, TurnRef } from '../../traces/index.ts';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import type { AgentStep, CallStep, Step } from '../connection/step-tree.ts';
import { useChatActions } from '../room/chat-actions.tsx';
import { useChatsText } from '../text.ts';
import { useChatConnection, useChatView } from '../use-chat-connection.ts';
import classes from './log.module.css';

// Few calls are opened.
const OpenedCall = lazy(async () => ({ default: (await import('./opened-call.tsx')).OpenedCall }));

interface StepsProps {
  readonly steps: readonly Step[];
  /** The turn that they belong to. */
  readonly turn: TurnRef;
  /** What is stored of calls with the answer, by their id. */
  readonly records?: ReadonlyMap<string, CallData>;
}

/** More ended steps than these in a row are folded to one line. */
const MAX_UNFOLDED = 3;
const NO_RECORDS: ReadonlyMap<string, CallData> = new Map();

/** Shows what an agent has done and does: one line a step, sub-agents as cards. Long runs of ended steps are folded. */
export function Steps({ steps, turn, records = NO_RECORDS }: StepsProps): ReactNode {
  const text = useChatsText().steps;
  if (steps.length === 0) return null;
  return (
    <ol className={classes.steps} aria-label={text.label}>
      {foldsOf(steps).map((run) =>
        run.length > MAX_UNFOLDED ? (
          <Folded key={run[0]?.id} steps={run} turn={turn} records={records} />
        ) : (
          run.map((step) => <StepLine key={step.id} step={step} turn={turn} records={records} />)
        ),
      )}
    </ol>
  );
}

// Ended calls that stand together; whatever needs a look of its own stands alone.
function foldsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const runs: Step[][] = [];
  let isRun = false;
  for (const step of steps) {
    const isQuiet = step.kind === 'call' && step.status === 'success';
    if (isQuiet && isRun) runs.at(-1)?.push(step);
    else runs.push([step]);
    isRun = isQuiet;
  }
  return runs;
}

function Folded({ steps, turn, records }: Required<StepsProps>): ReactNode {
  const text = useChatsText();
  const [first, last] = [steps[0]?.startedAt, steps.at(-1)?.endedAt];
  const time = first === undefined || last === undefined ? '' : formatDuration((last - first) / 1_000);
  return (
    <li>
      <details>
        <summary className={classes.line}>
          <Check aria-hidden className={classes.good} />
          {text.steps.folded(steps.length, time)}
        </summary>
        <ol className={classes.steps}>
          {steps.map((step) => (
            <StepLine key={step.id} step={step} turn={turn} records={records} />
          ))}
        </ol>
      </details>
    </li>
  );
}

type StepLineProps = { readonly step: Step } & Required<Omit<StepsProps, 'steps'>>;

function StepLine({ step, turn, records }: StepLineProps): ReactNode {
  if (step.kind === 'agent') {
    return (
      <li>
        <AgentCard agent={step}>
          <Steps steps={step.steps} turn={{ chatId: step.subChatId, turnId: step.id }} />
        </AgentCard>
      </li>
    );
  }
  return <CallLine call={step} turn={turn} record={records.get(step.id)} />;
}

interface AgentCardProps {
  readonly agent: AgentStep;
  /** Its own steps. */
  readonly children: ReactNode;
}

/** Shows the work of a sub-agent where it was handed out: its steps, and what it says when that is opened. */
function AgentCard({ agent, children }: AgentCardProps): ReactNode {
  const text = useChatsText();
  const orgId = useOrgId();
  const isRunning = agent.status === 'running';
  return (
    <section className={`grid card ${classes.card}`} aria-label={showInvisible(agent.agentName)}>
      <header className={classes.line}>
        <Bot aria-hidden className={isRunning ? classes.running : undefined} />
        <strong>{showInvisible(agent.agentName)}</strong>
        <span className={classes.name}>{showInvisible(agent.title)}</span>
        <span className={classes.state} data-status={agent.status}>
          {text.steps.status[agent.status]}
        </span>
        <Elapsed startedAt={agent.startedAt} endedAt={agent.endedAt} isRunning={isRunning} />
        {agent.tokens > 0 && <span>{text.tokens(agent.tokens, false)}</span>}
      </header>
      {children}
      {agent.output !== '' && (
        <div className={classes.output}>
          <Markdown text={agent.output} />
        </div>
      )}
      {agent.subChatId !== '' && (
        <footer className={classes.line}>
          {isRunning && <LiveWords chatId={agent.subChatId} />}
          <Link
            to="/o/$orgId/chats/$chatId"
            params={{ orgId, chatId: agent.subChatId }}
            className={buttonClass('quiet')}
          >
            {text.steps.open}
          </Link>
          {isRunning && <StopAgent chatId={agent.subChatId} />}
        </footer>
      )}
    </section>
  );
}

interface ElapsedProps {
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly isRunning: boolean;
}

/** How long something took, or takes by now; nothing when its beginning is unknown. */
function Elapsed({ startedAt, endedAt, isRunning }: ElapsedProps): ReactNode {
  if (startedAt === undefined) return null;
  if (isRunning) return <Running startedAt={startedAt} />;
  return endedAt === undefined ? null : <span>{formatDuration((endedAt - startedAt) / 1_000)}</span>;
}

function Running({ startedAt }: { readonly startedAt: number }): ReactNode {
  const now = useNow();
  return <span>{formatDuration(Math.max(0, Math.round((now - startedAt) / 1_000)))}</span>;
}

function StopAgent({ chatId }: { readonly chatId: string }): ReactNode {
  const text = useChatsText().steps;
  const { stop, isOwner } = useChatActions();
  if (!isOwner) return null;
  return (
    <Button icon={Square} variant="quiet" onClick={() => stop(chatId)}>
      {text.stopAgent}
    </Button>
  );
}

// Its chat has a socket of its own, which is open as long as somebody looks.
function LiveWords({ chatId }: { readonly chatId: string }): ReactNode {
  const text = useChatsText().steps;
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => (isOpen ? openWords(() => setIsOpen(false)) : undefined), [isOpen]);
  return (
    <details open={isOpen} className={classes.words} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className={classes.line}>{text.live}</summary>
      {isOpen && <WordsOf chatId={chatId} />}
    </details>
  );
}

/** Each has a socket of its own, of which a user may have 50 in all tabs. */
const MAX_OPEN = 6;

const open: (() => void)[] = [];

/**
 * Notes that the live words of a sub-agent are shown; `close` hides them. When there are more than six in this tab, the
 * oldest are hidden. Returns what notes that they are shown no longer.
 */
export function openWords(close: () => void): () => void {
  open.push(close);
  while (open.length > MAX_OPEN) open.shift()?.();
  return () => {
    const index = open.indexOf(close);
    if (index !== -1) open.splice(index, 1);
  };
}

function WordsOf({ chatId }: { readonly chatId: string }): ReactNode {
  const connection = useChatConnection(chatId);
  return connection === undefined ? null : <Words connection={connection} />;
}

function Words({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText().steps;
  const words = useChatView(connection, ({ live }) => live.at(-1)?.text ?? '');
  return words === '' ? <p>{text.nothingYet}</p> : <Markdown text={words} isGrowing />;
}

interface CallLineProps {
  readonly call: CallStep;
  readonly turn: TurnRef;
  readonly record: CallData | undefined;
}

/** Shows a call as one line, which opens to all that is known of it. */
function CallLine({ call, turn, record }: CallLineProps): ReactNode {
  const text = useChatsText().steps;
  const [isOpen, setIsOpen] = useState(false);
  const isWaiting = call.approval?.status === 'pending';
  return (
    <li>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className={classes.line}>
          <StateIcon call={call} />
          <span className={classes.name} data-waits={isWaiting || undefined}>
            {showInvisible(call.label)}
          </span>
          <span className={classes.state} data-status={call.status}>
            {isWaiting ? text.waits : text.status[call.status]}
          </span>
          <Elapsed startedAt={call.startedAt} endedAt={call.endedAt} isRunning={call.status === 'running'} />
        </summary>
        <Suspense>{isOpen && <OpenedCall call={call} turn={turn} record={record} />}</Suspense>
      </details>
      {call.approval?.status === 'pending' && <CallDecision key={call.approval.id} approvalId={call.approval.id} />}
    </li>
  );
}

function StateIcon({ call: { status, approval } }: { readonly call: CallStep }): ReactNode {
  if (approval?.status === 'pending') return <Hourglass aria-hidden className={classes.warn} />;
  if (status === 'running') return <CircleDashed aria-hidden className={classes.running} />;
  if (status === 'success') return <Check aria-hidden className={classes.good} />;
  if (status === 'unknown') return <TriangleAlert aria-hidden className={classes.warn} />;
  return status === 'error' ? <CircleAlert aria-hidden className={classes.bad} /> : <CircleSlash aria-hidden />;
}
