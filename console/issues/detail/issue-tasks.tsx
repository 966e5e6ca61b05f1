import type { ReactNode } from 'react';
import { useCan } from '../../core/permissions.ts';
import { TaskLink, TaskStatusBadge, useTasksOfIssue } from '../../tasks/index.ts';
import { Section } from '../../ui/page/section.tsx';
import classes from '../issues.module.css';
import { useIssuesText } from '../text.ts';

/** What agents do for an issue, the newest first. */
export function IssueTasks({ issueId }: { readonly issueId: string }): ReactNode {
  const text = useIssuesText();
  const { data: tasks = [] } = useTasksOfIssue(issueId, useCan('tasks.view'));
  if (tasks.length === 0) return null;
  return (
    <Section title={text.tasks}>
      <ul className={classes.tasks}>
        {tasks.toReversed().map(({ id, title, status }) => (
          <li key={id}>
            <TaskStatusBadge status={status} />
            <TaskLink taskId={id} title={title} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
