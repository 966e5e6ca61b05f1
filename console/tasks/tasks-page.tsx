import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ListTodo } from 'lucide-react';
import type { ReactNode } from 'react';
import { TASK_STATUSES } from '../../domain/tasks.ts';
import { useAgents } from '../agents/queries.ts';
import { useCan } from '../core/permissions.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { PriorityMark } from '../priorities/priority-mark.tsx';
import { useProjects } from '../projects/queries.ts';
import { SearchField } from '../ui/controls/search-field.tsx';
import { ChoiceFilters, choicesOf } from '../ui/list-page/list-page.tsx';
import { ListRow, SplitListPage } from '../ui/list-page/split-list-page.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import { NewTaskForm } from './new-task-form.tsx';
import { type Task, useTaskList } from './queries.ts';
import type { TasksSearch } from './routes.ts';
import { TaskStatusBadge, useTaskWords } from './status-badge.tsx';
import { useTasksText } from './text.ts';

/** One's tasks, or those of a project, beside the one that is open; those at work come first. */
export function TasksPage(): ReactNode {
  const text = useTasksText();
  const search = useSearch({ from: '/o/$orgId/tasks' });
  const { taskId } = useParams({ strict: false });
  const tasks = useTaskList(search);
  return (
    <SplitListPage
      name="tasks"
      text={text}
      pages={tasks.pages}
      rows={tasks.shown}
      keyOf={idOf}
      selected={taskId}
      onSelect={useOpenTask()}
      detail={<Outlet />}
      filters={<Filters />}
      isNarrowed={Object.keys(search).length > 0}
      icon={<ListTodo />}
      add={{ right: 'tasks.manage', form: AddTask }}
    >
      {(task) => <Row task={task} />}
    </SplitListPage>
  );
}

const idOf = ({ id }: Task) => id;

/** Returns what opens one of the listed tasks, or none, and keeps what narrows the list. */
function useOpenTask(): (id: string | undefined) => void {
  const [orgId, navigate, search] = [useOrgId(), useNavigate(), useSearch({ from: '/o/$orgId/tasks' })];
  return (id) =>
    void (id === undefined
      ? navigate({ to: '/o/$orgId/tasks', params: { orgId }, search })
      : navigate({ to: '/o/$orgId/tasks/$taskId', params: { orgId, taskId: id }, search }));
}

function AddTask({ onDone }: { readonly onDone: () => void }): ReactNode {
  const [text, toast, open] = [useTasksText(), useToast(), useOpenTask()];
  const { project } = useSearch({ from: '/o/$orgId/tasks' });
  return (
    <NewTaskForm
      projectId={project}
      onDone={({ id, title }) => {
        onDone();
        toast(text.added(showInvisible(title)));
        open(id);
      }}
    />
  );
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
