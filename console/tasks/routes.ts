import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { TASK_STATUSES, type TaskStatus } from '../../domain/tasks.ts';
import { orgPage } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

/** What the address of a list of tasks says. */
export interface TasksSearch {
  readonly q?: string;
  readonly status?: TaskStatus;
  readonly project?: string;
  readonly agent?: string;
}

const tasks = orgPage(
  '/tasks',
  async () => import('./tasks-page.tsx'),
  'TasksPage',
  (search): TasksSearch => ({
    ...textParam(search, 'q'),
    ...(isStatus(search['status']) && { status: search['status'] }),
    ...textParam(search, 'project'),
    ...textParam(search, 'agent'),
  }),
);

const task = createRoute({
  getParentRoute: () => tasks,
  path: '/$taskId',
  component: lazyRouteComponent(async () => import('./task-page.tsx'), 'TaskPage'),
});

function isStatus(value: unknown): value is TaskStatus {
  return TASK_STATUSES.some((status) => status === value);
}

/** The pages of tasks. */
export const tasksRoutes = [tasks.addChildren([task])] as const;
