import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ListTodo, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { TASK_STATUSES } from '../../domain/tasks/index.ts';
import { useAgents } from '../agents/index.ts';
import { useCan, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShortcut } from '../core/shortcuts.ts';
import { timeFromNow } from '../core/text/times.ts';
import { PriorityMark } from '../priorities/index.ts';
import { useProjects } from '../projects/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import type { MenuItem } from '../ui/overlays/menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { type ActiveFilter, FilterChips } from '../ui/page/filter-chips.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { RowList } from '../ui/split-view/row-list.tsx';
import { SplitView } from '../ui/split-view/split-view.tsx';
import { showInvisible } from '../ui/visible.ts';
import { NewTaskForm } from './new-task-form.tsx';
import { type Task, useTaskList } from './queries.ts';
import type { TasksSearch } from './routes.ts';
import { TaskStatusBadge } from './status-badge.tsx';
import classes from './tasks.module.css';
import { useTasksText } from './text.ts';
import { useTaskWords } from './words.ts';

const MOST_OFFERED = 50;

/** One's tasks, or those of a project, beside the one that is open; those at work come first. */
export function TasksPage(): ReactNode {
  const [text, orgId, toast] = [useTasksText(), useOrgId(), useToast()];
  const search = useSearch({ from: '/o/$orgId/tasks' });
  const { taskId } = useParams({ strict: false });
  const navigate = useNavigate();
  const [tasks, refusal] = [useTaskList(search), useRefusal('tasks.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const open = (id: string | undefined) =>
    void (id === undefined
      ? navigate({ to: '/o/$orgId/tasks', params: { orgId }, search })
      : navigate({ to: '/o/$orgId/tasks/$taskId', params: { orgId, taskId: id }, search }));
  useShortcut('c', text.addTitle, () => {
    if (refusal === undefined) setIsAdding(true);
  });
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.addTitle}
    </Button>
  );
  const isEmpty = tasks.pages.data?.total === 0 && Object.keys(search).length === 0;
  return (
    <Page title={text.title} actions={isEmpty ? undefined : add} isWide>
      {isEmpty && taskId === undefined ? (
        <Empty icon={<ListTodo />} title={text.empty} action={add}>
          {text.emptyWhy}
        </Empty>
      ) : (
        <SplitView
          name="tasks"
          keys={tasks.shown.map(({ id }) => id)}
          selected={taskId}
          onSelect={open}
          list={
            <div className={classes.list}>
              <Filters />
              <Loaded query={tasks.pages}>
                {() =>
                  tasks.shown.length === 0 ? (
                    <p className={classes.none}>{text.none}</p>
                  ) : (
                    <RowList label={text.title} rows={tasks.shown} keyOf={idOf} selected={taskId} onSelect={open}>
                      {(task) => <Row task={task} />}
                    </RowList>
                  )
                }
              </Loaded>
              <Pager pages={tasks.pages} />
            </div>
          }
          detail={taskId === undefined ? <p className={classes.none}>{text.choose}</p> : <Outlet />}
        />
      )}
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.addTitle}>
        <NewTaskForm
          projectId={search.project}
          onDone={({ id, title }) => {
            setIsAdding(false);
            toast(text.added(showInvisible(title)));
            open(id);
          }}
        />
      </Dialog>
    </Page>
  );
}

const idOf = ({ id }: Task) => id;

function Row({ task }: { readonly task: Task }): ReactNode {
  const { title, priority, status, updated_at: at, assigned_agent_id: agentId } = task;
  const agent = useAgents().data?.items.find(({ id }) => id === agentId)?.name;
  return (
    <span className={classes.row}>
      <span className={classes.rowTitle}>{showInvisible(title)}</span>
      <span className={classes.soft}>
        <PriorityMark priority={priority} />
        <TaskStatusBadge status={status} />
        {agent !== undefined && <span className={classes.cut}>{showInvisible(agent)}</span>}
        <span className={classes.end}>{timeFromNow(at)}</span>
      </span>
    </span>
  );
}

function Filters(): ReactNode {
  const [text, words] = [useTasksText(), useTaskWords()];
  const search = useSearch({ from: '/o/$orgId/tasks' });
  const { q = '', status, project, agent } = search;
  const navigate = useNavigate();
  const change = (changes: { readonly [K in keyof TasksSearch]?: TasksSearch[K] | undefined }) => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined);
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true });
  };
  const projects = useProjects(useCan('projects.view')).data?.items ?? [];
  const agents = useAgents().data?.items ?? [];
  const nameIn = (all: readonly { id: string; name: string }[], id: string) =>
    showInvisible(all.find((each) => each.id === id)?.name ?? id);
  const active: ActiveFilter[] = [];
  const add = (key: keyof TasksSearch, kind: string, value: string) =>
    active.push({ key, label: `${kind}: ${value}`, onRemove: () => change({ [key]: undefined }) });
  if (status !== undefined) add('status', text.filters.status, words.status[status]);
  if (project !== undefined) add('project', text.inProject, nameIn(projects, project));
  if (agent !== undefined) add('agent', text.filters.agent, nameIn(agents, agent));
  const offer = (kind: string, key: keyof TasksSearch, values: readonly { id: string; name: string }[]) =>
    values
      .filter(({ id }) => id !== search[key])
      .slice(0, MOST_OFFERED)
      .map(({ id, name }, at): MenuItem => ({
        key: `${key} ${id}`,
        label: showInvisible(name),
        ...(at === 0 && { heading: kind }),
        run: () => change({ [key]: id }),
      }));
  const statuses = TASK_STATUSES.map((each) => ({ id: each, name: words.status[each] }));
  return (
    <div className={classes.filters}>
      <SearchField
        label={text.search}
        value={q}
        onChange={(wanted) => change({ q: wanted === '' ? undefined : wanted })}
      />
      <FilterChips
        active={active}
        more={[
          ...offer(text.filters.status, 'status', statuses),
          ...offer(text.inProject, 'project', projects),
          ...offer(text.filters.agent, 'agent', agents),
        ]}
        onClear={() => change({ status: undefined, project: undefined, agent: undefined })}
      />
    </div>
  );
}
