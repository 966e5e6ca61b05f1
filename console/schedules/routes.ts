import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

const schedules = createRoute({
  getParentRoute: () => orgRoute,
  path: '/schedules',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./schedules-page.tsx'), 'SchedulesPage'),
});

const newSchedule = createRoute({
  getParentRoute: () => orgRoute,
  path: '/schedules/new',
  component: lazyRouteComponent(async () => import('./schedule-page.tsx'), 'NewSchedulePage'),
});

const schedule = createRoute({
  getParentRoute: () => orgRoute,
  path: '/schedules/$scheduleId',
  validateSearch: (search) => choiceParam(search, 'tab', ['runs', 'outside', 'settings']),
  component: lazyRouteComponent(async () => import('./schedule-page.tsx'), 'SchedulePage'),
});

/** The pages of schedules. */
export const schedulesRoutes = [schedules, newSchedule, schedule] as const;
