import { Link, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useAgents } from '../agents/queries.ts';
import { NewestStep } from '../chats/index.ts';
import { useIsAdvanced } from '../core/permissions.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { PriorityMark } from '../priorities/priority-mark.tsx';
import { TaskStatusBadge, useTask } from '../tasks/index.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { SideSheet } from '../ui/overlays/dialog.tsx';
import { Facts, Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { BoardTask } from './board-state.ts';
import classes from './board.module.css';
import { Who } from './issue-card.tsx';
import type { BoardSearch } from './routes.ts';
import { useBoardText } from './text.ts';
import type { CardLink } from './view/board-view.tsx';

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
    <span className={`truncate warn ${classes.working}`}>
      <NewestStep chatId={chatId} />
    </span>
  );
}

/** The most cards of a page that hold a socket. */
const MOST = 6;

const waiting = new Set<() => void>();
let taken = 0;

/** Returns whether a card may hold a socket: only so many do at once, and the next one in line takes a free place. */
function useSlot(): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => {
    let isMine = false;
    const take = () => {
      if (taken >= MOST) return;
      taken += 1;
      isMine = true;
      waiting.delete(take);
      setHas(true);
    };
    waiting.add(take);
    take();
    return () => {
      waiting.delete(take);
      if (!isMine) return;
      taken -= 1;
      [...waiting][0]?.();
    };
  }, []);
  return has;
}

/** A look into the task that the address names. */
export function TaskPeek({ tasks }: { readonly tasks: readonly BoardTask[] }): ReactNode {
  const text = useBoardText();
  const { card } = useSearch({ from: '/o/$orgId/board' });
  const change = useChangeSearch<BoardSearch>();
  const known = tasks.find(({ id }) => id === card);
  return (
    <SideSheet
      open={card !== undefined}
      onClose={() => change({ card: undefined })}
      kind={text.peek.task}
      title={showInvisible(known?.title ?? '')}
    >
      {card !== undefined && <Content taskId={card} />}
    </SideSheet>
  );
}

function Content({ taskId }: { readonly taskId: string }): ReactNode {
  const text = useBoardText();
  const [task, agents, orgId] = [useTask(taskId), useAgents().data?.items, useOrgId()];
  const isAdvanced = useIsAdvanced();
  return (
    <Loaded query={task}>
      {({ status, priority, description, output, error, assigned_agent_id: agentId }) => {
        const agent = agents?.find(({ id }) => id === agentId)?.name;
        return (
          <div className="stack">
            <div className="wrap">
              <TaskStatusBadge status={status} />
              <PriorityMark priority={priority} isNamed />
            </div>
            {agent !== undefined && <Facts facts={[{ label: text.agent, value: showInvisible(agent) }]} />}
            {isAdvanced && (
              <div className="wrap">
                <Link to="/o/$orgId/tasks/$taskId" params={{ orgId, taskId }} className={buttonClass('primary')}>
                  {text.peek.open}
                </Link>
              </div>
            )}
            {description === '' ? <p>{text.peek.noDescription}</p> : <Markdown text={description} />}
            {error !== null && <p role="alert">{showInvisible(error)}</p>}
            {output !== null && output !== '' && <Markdown text={output} />}
          </div>
        );
      }}
    </Loaded>
  );
}
