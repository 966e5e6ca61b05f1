import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { TASK_STATUSES, type TaskStatus } from '../../domain/tasks.ts';
import { orgPage } from '../core/routing/route-roots.ts';
import { choiceParam, texts } from '../core/routing/search.ts';

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
    ...texts('q', 'project', 'agent')(search),
    ...choiceParam(search, 'status', TASK_STATUSES),
  }),
);

const task = createRoute({
  getParentRoute: () => tasks,
  path: '/$taskId',
  component: lazyRouteComponent(async () => import('./task-page.tsx'), 'TaskPage'),
});

/** The pages of tasks. */
export const tasksRoutes = [tasks.addChildren([task])] as const;
