import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { showInvisible } from '../ui/visible.ts';

/** Leads to a task. */
export function TaskLink({ taskId, title }: { readonly taskId: string; readonly title: string }): ReactNode {
  return (
    <Link to="/o/$orgId/tasks/$taskId" params={{ orgId: useOrgId(), taskId }}>
      {showInvisible(title)}
    </Link>
  );
}
