import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { withoutMarks } from '../../../domain/issues/index.ts';
import { useAgents } from '../../agents/index.ts';
import { EmbeddedChat } from '../../chats/index.ts';
import { useTabPart } from '../../core/browser/tab-title.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type Task, useNewestTurn, useParts, useTask } from '../queries.ts';
import { TaskStatusBadge } from '../status-badge.tsx';
import classes from '../tasks.module.css';
import { useTasksText } from '../text.ts';
import { TaskLink } from '../task-link.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskFacts } from './task-facts.tsx';

/** One task: what is to be done, what has come out of it, and its agent at work. */
export function TaskPage(): ReactNode {
  const { taskId } = useParams({ from: '/o/$orgId/tasks/$taskId' });
  const task = useTask(taskId);
  return <Loaded query={task}>{(data) => <OpenTask key={taskId} task={data} />}</Loaded>;
}

function OpenTask({ task }: { readonly task: Task }): ReactNode {
  const text = useTasksText();
  const { id, title, description, status, output, error, parent_turn_id: turnId } = task;
  useTabPart(showInvisible(title));
  return (
    <article className={classes.task} aria-label={showInvisible(title)}>
      <header className={classes.head}>
        <div>
          <h2>{showInvisible(title)}</h2>
          <p className={classes.soft}>
            <TaskStatusBadge status={status} />
            {turnId !== null && text.delegated}
          </p>
        </div>
        <TaskActions task={task} />
      </header>
      <TaskFacts task={task} />
      {error !== null && (
        <Section title={text.failed}>
          <p className={classes.problem}>{showInvisible(error)}</p>
        </Section>
      )}
      {output !== null && output !== '' && (
        <Section title={text.result}>
          <Markdown text={output} />
        </Section>
      )}
      <Section title={text.prompt}>
        {description === '' ? (
          <p className={classes.soft}>{text.noPrompt}</p>
        ) : (
          <Markdown text={withoutMarks(description)} />
        )}
      </Section>
      <TaskParts taskId={id} />
      {task.sub_chat_id !== null && <Work task={task} chatId={task.sub_chat_id} />}
    </article>
  );
}

function Work({ task, chatId }: { readonly task: Task; readonly chatId: string }): ReactNode {
  const [text, orgId] = [useTasksText(), useOrgId()];
  const { data: agents } = useAgents();
  const agent = agents?.items.find(({ id }) => id === task.assigned_agent_id);
  const { data: turnId } = useNewestTurn(chatId, task.attempts);
  const open = (
    <>
      {turnId != null && (
        <Link to="/o/$orgId/chats/$chatId/turns/$turnId" params={{ orgId, chatId, turnId }}>
          {text.trace}
        </Link>
      )}
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }}>
        {text.openChat}
      </Link>
    </>
  );
  return (
    <Section title={text.work} actions={open}>
      <EmbeddedChat key={chatId} chatId={chatId} agentName={agent?.name ?? ''} />
    </Section>
  );
}

/** The parts of a task, such as the steps of a plan. */
function TaskParts({ taskId }: { readonly taskId: string }): ReactNode {
  const text = useTasksText();
  const { data: parts = [] } = useParts(taskId);
  if (parts.length === 0) return null;
  const done = parts.filter(({ status }) => status === 'completed').length;
  return (
    <Section title={text.parts} lead={text.partsDone(done, parts.length)}>
      <ol className={classes.parts}>
        {parts.map(({ id, title, status }) => (
          <li key={id}>
            <TaskStatusBadge status={status} />
            <TaskLink taskId={id} title={title} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
