import { Link, useParams } from '@tanstack/react-router';
import { RotateCcw, Square } from 'lucide-react';
import type { ReactNode } from 'react';
import { withoutMarks } from '../../domain/issues.ts';
import { isEnded, statusesAfter } from '../../domain/tasks.ts';
import { useAgents } from '../agents/queries.ts';
import { EmbeddedChat } from '../chats/index.ts';
import { useCan, useRefusal } from '../core/permissions.ts';
import { useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import { formatDuration, formatNumber, timeFromNow } from '../core/text/formats.ts';
import { TurnReports } from '../destinations/index.ts';
import { useIssue } from '../issues/queries.ts';
import { PriorityMark } from '../priorities/priority-mark.tsx';
import { usePrioritiesText } from '../priorities/text.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { OpenedRecord } from '../ui/list-page/split-list-page.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { type Fact, Facts, Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Task, useChangeTask, useNewestTurn, useParts, useTask, useTaskActions } from './queries.ts';
import { TaskStatusBadge, useTaskWords } from './status-badge.tsx';
import { TaskLink, TaskRows } from './task-link.tsx';
import { type TasksText, useTasksText } from './text.ts';

/** One task: what is to be done, what has come out of it, and its agent at work. */
export function TaskPage(): ReactNode {
  const { taskId } = useParams({ from: '/o/$orgId/tasks/$taskId' });
  const task = useTask(taskId);
  return <Loaded query={task}>{(data) => <OpenTask key={taskId} task={data} />}</Loaded>;
}

function OpenTask({ task }: { readonly task: Task }): ReactNode {
  const [text, { data: user }] = [useTasksText(), useCurrentUser()];
  const { id, title, description, status, output, error, parent_turn_id: turnId } = task;
  const { remove } = useTaskActions(id);
  const refusal = useRefusal('tasks.manage');
  return (
    <OpenedRecord
      name="tasks"
      idName="taskId"
      title={title}
      facts={
        <p className="facts">
          <TaskStatusBadge status={status} />
          {turnId !== null && text.delegated}
        </p>
      }
      actions={<TaskActions task={task} refusal={refusal} />}
      text={text}
      reason={refusal ?? (isAtWork(task) ? text.deleteOff : undefined)}
      onRemove={remove}
    >
      <TaskFacts task={task} />
      {error !== null && (
        <Section title={text.failed}>
          <p className="danger">{showInvisible(error)}</p>
        </Section>
      )}
      {output !== null && output !== '' && (
        <Section title={text.result}>
          <Markdown text={output} />
        </Section>
      )}
      <Section title={text.prompt}>
        {description === '' ? <p className="facts">{text.noPrompt}</p> : <Markdown text={withoutMarks(description)} />}
      </Section>
      <TaskParts taskId={id} />
      {turnId === null && task.created_by === user?.id && <TurnReports of={{ kind: 'task', id }} />}
      {task.sub_chat_id !== null && <Work task={task} chatId={task.sub_chat_id} />}
    </OpenedRecord>
  );
}

const isAtWork = (task: Task) => task.status === 'in_progress' && task.sub_chat_id !== null;

interface TaskActionsProps {
  readonly task: Task;
  readonly refusal: string | undefined;
}

/** What can be done with a task; what cannot be done now says why. */
function TaskActions({ task, refusal }: TaskActionsProps): ReactNode {
  const [text, toast] = [useTasksText(), useToast()];
  const { interrupt, retry } = useTaskActions(task.id);
  const onError = (error: Error) => toast(error.message, 'failed');
  return (
    <>
      <ActionButton
        icon={Square}
        variant={isAtWork(task) ? 'danger' : 'plain'}
        reason={refusal ?? (isAtWork(task) ? undefined : text.interruptOff)}
        done={text.interrupted}
        action={async () => interrupt.mutateAsync()}
      >
        {text.interrupt}
      </ActionButton>
      <ActionButton
        icon={RotateCcw}
        reason={refusal ?? retryReasonOf(task, text)}
        done={text.retried}
        action={async () => retry.mutateAsync()}
      >
        {text.retry}
      </ActionButton>
      {refusal === undefined && !isAtWork(task) && task.parent_turn_id === null && (
        <MoveTo task={task} onError={onError} />
      )}
    </>
  );
}

function retryReasonOf(task: Task, { retryOff }: TasksText): string | undefined {
  if (task.parent_turn_id !== null) return retryOff.delegated;
  if (task.assigned_agent_id === null) return retryOff.noAgent;
  return isEnded(task.status) ? undefined : retryOff.open;
}

function MoveTo({ task, onError }: { readonly task: Task; readonly onError: (error: Error) => void }): ReactNode {
  const [text, words, { mutate }] = [useTasksText(), useTaskWords(), useChangeTask()];
  return (
    <Menu
      label={text.moveTo}
      className={buttonClass()}
      trigger={text.moveTo}
      items={statusesAfter(task.status).map((status) => ({
        key: status,
        label: words.status[status],
        run: () => mutate({ id: task.id, changes: { status } }, { onError }),
      }))}
    />
  );
}

/** Who works on a task, for what, and how long that took. */
function TaskFacts({ task }: { readonly task: Task }): ReactNode {
  const [text, priorities] = [useTasksText(), usePrioritiesText()];
  const agent = useAgents().data?.items.find(({ id }) => id === task.assigned_agent_id)?.name;
  const mayIssues = useCan('issues.view');
  const { priority, attempts, started_at: started, ended_at: ended } = task;
  const facts: readonly (Fact | false)[] = [
    agent !== undefined && { label: text.fields.agent, value: showInvisible(agent) },
    { label: priorities.label, value: <PriorityMark priority={priority} isNamed /> },
    mayIssues && task.issue_id !== null && { label: text.fields.issue, value: <IssueLink issueId={task.issue_id} /> },
    task.parent_task_id !== null && { label: text.fields.parent, value: <OtherTask taskId={task.parent_task_id} /> },
    task.waits_for.length > 0 && {
      label: text.fields.waitsFor,
      value: task.waits_for.map((id) => (
        <div key={id}>
          <OtherTask taskId={id} />
        </div>
      )),
    },
    attempts > 1 && { label: text.fields.attempts, value: formatNumber(attempts) },
    started !== null && { label: text.fields.started, value: timeFromNow(started) },
    started !== null && ended !== null && { label: text.fields.took, value: durationOf(started, ended) },
  ];
  return <Facts facts={facts.filter((fact) => fact !== false)} />;
}

function durationOf(from: string, to: string): string {
  return formatDuration(Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000));
}

function OtherTask({ taskId }: { readonly taskId: string }): ReactNode {
  const { data } = useTask(taskId);
  return data === undefined ? null : <TaskLink taskId={taskId} title={data.title} />;
}

function IssueLink({ issueId }: { readonly issueId: string }): ReactNode {
  const { data } = useIssue(issueId);
  const orgId = useOrgId();
  if (data === undefined) return null;
  return (
    <Link to="/o/$orgId/issues/$issueId" params={{ orgId, issueId }}>
      {showInvisible(data.title)}
    </Link>
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
      <TaskRows tasks={parts} />
    </Section>
  );
}
