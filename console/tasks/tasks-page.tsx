import { useSearch } from '@tanstack/react-router';
import { ListTodo } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { TASK_STATUSES } from '../../domain/tasks.ts';
import { useAgents } from '../agents/queries.ts';
import { useCan } from '../core/permissions.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { timeFromNow } from '../core/text/formats.ts';
import { PriorityMark } from '../priorities/priority-mark.tsx';
import { useProjects } from '../projects/queries.ts';
import { SearchField } from '../ui/controls/search-field.tsx';
import { ChoiceFilters, choicesOf } from '../ui/list-page/list-page.tsx';
import { ListRow, SplitListPage } from '../ui/list-page/split-list-page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { NewTaskForm } from './new-task-form.tsx';
import { type Task, useTaskList } from './queries.ts';
import type { TasksSearch } from './routes.ts';
import { TaskStatusBadge, useTaskWords } from './status-badge.tsx';
import { useTasksText } from './text.ts';

/** One's tasks, or those of a project, beside the one that is open; those at work come first. */
export function TasksPage(): ReactNode {
  const text = useTasksText();
  const { pages, shown } = useTaskList(useSearch({ from: '/o/$orgId/tasks' }));
  return (
    <SplitListPage
      name="tasks"
      idName="taskId"
      text={text}
      pages={pages}
      rows={shown}
      filters={<Filters />}
      icon={<ListTodo />}
      right="tasks.manage"
      form={AddTask}
    >
      {(task) => <Row task={task} />}
    </SplitListPage>
  );
}

type AddTaskProps = Pick<ComponentProps<typeof NewTaskForm>, 'onDone'>;

function AddTask({ onDone }: AddTaskProps): ReactNode {
  const { project } = useSearch({ from: '/o/$orgId/tasks' });
  return <NewTaskForm projectId={project} onDone={onDone} />;
}

function Row({ task }: { readonly task: Task }): ReactNode {
  const { title, priority, status, updated_at: at, assigned_agent_id: agentId } = task;
  const agent = useAgents().data?.items.find(({ id }) => id === agentId)?.name;
  return (
    <ListRow
      title={showInvisible(title)}
      name={agent === undefined ? undefined : showInvisible(agent)}
      end={timeFromNow(at)}
    >
      <PriorityMark priority={priority} />
      <TaskStatusBadge status={status} />
    </ListRow>
  );
}

function Filters(): ReactNode {
  const [text, words] = [useTasksText(), useTaskWords()];
  const { q = '', status, project, agent } = useSearch({ from: '/o/$orgId/tasks' });
  const change = useChangeSearch<Record<keyof TasksSearch, string>>();
  const projects = useProjects(useCan('projects.view')).data?.items ?? [];
  const agents = useAgents().data?.items ?? [];
  const statuses = TASK_STATUSES.map((value) => ({ value, label: words.status[value] }));
  return (
    <>
      <SearchField label={text.search} value={q} onChange={(wanted) => change({ q: wanted || undefined })} />
      <ChoiceFilters
        filters={[
          { key: 'status', label: text.filters.status, value: status, choices: statuses },
          { key: 'project', label: text.inProject, value: project, choices: choicesOf(projects) },
          { key: 'agent', label: text.filters.agent, value: agent, choices: choicesOf(agents) },
        ]}
        onChange={change}
      />
    </>
  );
}
