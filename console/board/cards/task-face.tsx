import { Link, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAgents } from '../../agents/index.ts';
import { NewestStep } from '../../chats/index.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { PriorityMark } from '../../priorities/index.ts';
import { showInvisible } from '../../ui/visible.ts';
import type { BoardTask } from '../data/board-state.ts';
import { useBoardText } from '../text.ts';
import type { CardLink } from '../view/board-view.tsx';
import classes from './cards.module.css';
import { Who } from './issue-face.tsx';
import { useSlot } from './live-slots.ts';

/** What a card says of a task; of a running one also what its agent does right now. */
export function TaskFace({ task, link }: { readonly task: BoardTask; readonly link: CardLink }): ReactNode {
  const text = useBoardText();
  const orgId = useOrgId();
  const search = useSearch({ from: '/o/$orgId/board' });
  const { data: agents } = useAgents();
  const { id, title, priority, status, assigned_agent_id: agentId, sub_chat_id: chatId, waits_for: waits } = task;
  const agent = agents?.items.find((each) => each.id === agentId);
  const facts = [
    waits.length > 0 && text.waitsFor(waits.length),
    task.issue_id !== null && text.forIssue,
    task.parent_task_id !== null && text.partOf,
    task.attempts > 1 && text.attempts(task.attempts),
  ].filter((fact) => fact !== false);
  return (
    <Link
      {...link}
      to="/o/$orgId/board"
      params={{ orgId }}
      search={{ ...search, card: id }}
      activeProps={{}}
      className={classes.face}
    >
      <span className={classes.title}>{showInvisible(title)}</span>
      <span className={classes.facts}>
        <PriorityMark priority={priority} />
        {agent !== undefined && <Who icon={<Bot aria-hidden />} name={agent.name} />}
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
      {status === 'in_progress' && chatId !== null && <Working chatId={chatId} />}
    </Link>
  );
}

// Each holds a socket, so only some of those in sight are live.
function Working({ chatId }: { readonly chatId: string }): ReactNode {
  const hasSlot = useSlot();
  if (!hasSlot) return null;
  return (
    <span className={classes.working}>
      <NewestStep chatId={chatId} />
    </span>
  );
}
