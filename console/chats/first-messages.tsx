import type { ReactNode } from 'react';
import { type Agent, useAgents } from '../agents/queries.ts';
import { Button } from '../ui/controls/button.tsx';
import classes from './chats.module.css';
import { type ChatsText, useChatsText } from './text.ts';

const MOST = 4;

/** Returns first messages that show what an agent can do with its tools; the demo model understands them all. */
export function firstMessages(
  agent: Pick<Agent, 'id' | 'tools' | 'skills'>,
  all: readonly Pick<Agent, 'id' | 'name'>[],
  { examples }: ChatsText,
): readonly string[] {
  const has = (key: string) => agent.tools.includes(key) || agent.skills.includes(key);
  const other = all.find(({ id }) => id !== agent.id);
  const offered = [
    has('time_now') && examples.time,
    has('math_evaluate') && examples.sum,
    has('file_write') && examples.file,
    has('agent_spawn') && other !== undefined && examples.delegate(other.name),
    has('memory_manage') && examples.memory,
  ];
  return offered.filter((each) => each !== false).slice(0, MOST);
}

interface FirstMessagesProps {
  readonly agent: Pick<Agent, 'id' | 'tools' | 'skills'>;
  /** The message that is being sent; undefined for none. */
  readonly sending: string | undefined;
  readonly onChoose: (message: string) => void;
}

/** Offers first messages to an agent; nothing when none fits its tools. */
export function FirstMessages({ agent, sending, onChoose }: FirstMessagesProps): ReactNode {
  const text = useChatsText();
  const messages = firstMessages(agent, useAgents().data?.items ?? [], text);
  if (messages.length === 0) return null;
  return (
    <section aria-labelledby="first-messages">
      <h2 id="first-messages" className={classes.heading}>
        {text.tryThis}
      </h2>
      <ul className={classes.messages}>
        {messages.map((message) => (
          <li key={message}>
            <Button busy={message === sending} onClick={() => onChoose(message)}>
              {message}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
