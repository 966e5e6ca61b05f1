import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgents } from '../../agents/index.ts';
import { useCan } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatDuration, formatNumber } from '../../core/text/numbers.ts';
import { timeFromNow } from '../../core/text/times.ts';
import { useIssue } from '../../issues/index.ts';
import { PriorityMark, usePrioritiesText } from '../../priorities/index.ts';
import { type Fact, Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type Task, useTask } from '../queries.ts';
import { TaskLink } from '../task-link.tsx';
import { useTasksText } from '../text.ts';

/** Who works on a task, for what, and how long that took. */
export function TaskFacts({ task }: { readonly task: Task }): ReactNode {
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
