import type { ReactNode } from 'react';
import { Section } from '../../ui/page/section.tsx';
import { useParts } from '../queries.ts';
import { TaskStatusBadge } from '../status-badge.tsx';
import { TaskLink } from '../task-link.tsx';
import classes from '../tasks.module.css';
import { useTasksText } from '../text.ts';

/** The parts of a task, such as the steps of a plan. */
export function TaskParts({ taskId }: { readonly taskId: string }): ReactNode {
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
