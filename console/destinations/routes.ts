import { orgPage } from '../core/routing/route-roots.ts';
import { texts } from '../core/routing/search.ts';

const destinations = orgPage(
  '/destinations',
  async () => import('./destinations-page.tsx'),
  'DestinationsPage',
  texts('q'),
);

const destination = orgPage(
  '/destinations/$destinationId',
  async () => import('./destination-page.tsx'),
  'DestinationPage',
);

/** The pages of destinations. */
export const destinationsRoutes = [destinations, destination] as const;
