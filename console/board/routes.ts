import { orgPage } from '../core/routing/route-roots.ts';
import { texts } from '../core/routing/search.ts';

const board = orgPage(
  '/board',
  async () => import('./board-page.tsx'),
  'BoardPage',
  (search): BoardSearch => ({
    ...(search['of'] === 'tasks' && { of: 'tasks' }),
    ...texts('project', 'agent', 'label', 'q', 'card')(search),
  }),
);

/** What the address of the board says: issues of all projects unless it says otherwise. */
export interface BoardSearch {
  readonly of?: 'tasks';
  readonly project?: string;
  readonly agent?: string;
  readonly label?: string;
  /** Words of what is shown. */
  readonly q?: string;
  /** The card that is looked into. */
  readonly card?: string;
}

/** The page of the board. */
export const boardRoutes = [board] as const;
