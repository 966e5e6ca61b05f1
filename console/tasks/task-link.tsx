import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { Task } from './queries.ts';
import { TaskStatusBadge } from './status-badge.tsx';

/** Leads to a task. */
export function TaskLink({ taskId, title }: { readonly taskId: string; readonly title: string }): ReactNode {
  return (
    <Link to="/o/$orgId/tasks/$taskId" params={{ orgId: useOrgId(), taskId }}>
      {showInvisible(title)}
    </Link>
  );
}

/** Tasks by their titles, each with its status. */
export function TaskRows({ tasks }: { readonly tasks: readonly Task[] }): ReactNode {
  return (
    <ol>
      {tasks.map(({ id, title, status }) => (
        <li key={id} className="line min-h-control">
          <TaskStatusBadge status={status} />
          <TaskLink taskId={id} title={title} />
        </li>
      ))}
    </ol>
  );
}
