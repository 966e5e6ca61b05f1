import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { orgPage } from '../core/routing/route-roots.ts';

const settings = orgPage('/settings', async () => import('./settings-page.tsx'), 'SettingsPage');

const first = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => redirect({ to: '/o/$orgId/settings/profile', params, replace: true, throw: true }),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/profile',
  component: lazyRouteComponent(async () => import('./profile-page.tsx'), 'ProfilePage'),
});

const signIns = createRoute({
  getParentRoute: () => settings,
  path: '/sign-ins',
  component: lazyRouteComponent(async () => import('./sign-ins-page.tsx'), 'SignInsPage'),
});

const keys = createRoute({
  getParentRoute: () => settings,
  path: '/api-keys',
  component: lazyRouteComponent(async () => import('./keys/keys-page.tsx'), 'KeysPage'),
});

const appearance = createRoute({
  getParentRoute: () => settings,
  path: '/appearance',
  component: lazyRouteComponent(async () => import('./appearance-page.tsx'), 'AppearancePage'),
});

const organization = createRoute({
  getParentRoute: () => settings,
  path: '/organization',
  component: lazyRouteComponent(async () => import('./organization-page.tsx'), 'OrganizationPage'),
});

const about = createRoute({
  getParentRoute: () => settings,
  path: '/about',
  component: lazyRouteComponent(async () => import('./about-page.tsx'), 'AboutPage'),
});

/** The pages of the settings, of oneself and of the organization. */
export const settingsRoutes = [
  settings.addChildren([first, profile, signIns, keys, appearance, organization, about]),
] as const;
