import { Link } from '@tanstack/react-router';
import { Bot, Square } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useChatActions } from '../room/chat-actions.tsx';
import type { AgentStep, ChatConnection } from '../connection/index.ts';
import { useChatConnection, useChatView } from '../use-chat-connection.ts';
import { Elapsed } from './elapsed.tsx';
import { openWords } from './open-words.ts';
import classes from './steps.module.css';
import { useChatsText } from '../text.ts';

interface AgentCardProps {
  readonly agent: AgentStep;
  /** Its own steps. */
  readonly children: ReactNode;
}

/** Shows the work of a sub-agent where it was handed out: its steps, and what it says when that is opened. */
export function AgentCard({ agent, children }: AgentCardProps): ReactNode {
  const text = useChatsText();
  const orgId = useOrgId();
  const isRunning = agent.status === 'running';
  return (
    <section className={classes.card} aria-label={showInvisible(agent.agentName)}>
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
      {agent.output !== '' && <p className={classes.output}>{agent.output}</p>}
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

function StopAgent({ chatId }: { readonly chatId: string }): ReactNode {
  const text = useChatsText().steps;
  const { stop, isOwner } = useChatActions();
  if (!isOwner) return null;
  return (
    <Button look="quiet" onClick={() => stop(chatId)}>
      <Square aria-hidden />
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

function WordsOf({ chatId }: { readonly chatId: string }): ReactNode {
  const connection = useChatConnection(chatId);
  return connection === undefined ? null : <Words connection={connection} />;
}

function Words({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText().steps;
  const words = useChatView(connection, ({ live }) => live.at(-1)?.text ?? '');
  return words === '' ? <p>{text.nothingYet}</p> : <Markdown text={words} isGrowing />;
}
