import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { readFilters } from './filters.ts';

const audit = createRoute({
  getParentRoute: () => orgRoute,
  path: '/audit',
  validateSearch: readFilters,
  component: lazyRouteComponent(async () => import('./audit-page.tsx'), 'AuditPage'),
});

/** The page of the audit log. */
export const auditRoutes = [audit] as const;
