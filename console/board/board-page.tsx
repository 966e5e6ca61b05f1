import { Link, useSearch } from '@tanstack/react-router';
import { SquareKanban } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCan, useOwnPermissions, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { type Project, useProjects } from '../projects/queries.ts';
import { Empty, Loaded, Page } from '../ui/page/page.tsx';
import classes from './board.module.css';
import { IssueBoard } from './issue-board.tsx';
import type { BoardSearch } from './routes.ts';
import { TaskBoard } from './task-board.tsx';
import { useBoardText } from './text.ts';

/** The board: issues or tasks by their status. */
export function BoardPage(): ReactNode {
  const text = useBoardText();
  const { of } = useSearch({ from: '/o/$orgId/board' });
  const [mayIssues, mayTasks, mayProjects] = [useCan('issues.view'), useCan('tasks.view'), useCan('projects.view')];
  const isOfTasks = of === 'tasks' || (mayTasks && !mayIssues);
  const projects = useProjects(mayProjects);
  const [{ isPending }, refusal] = [useOwnPermissions(), useRefusal('issues.view')];
  if (!isPending && !mayIssues && !mayTasks) {
    return (
      <Page title={text.title}>
        <Empty icon={<SquareKanban />} title={text.forbidden}>
          {refusal}
        </Empty>
      </Page>
    );
  }
  const actions = mayIssues && mayTasks ? <Subject isOfTasks={isOfTasks} /> : undefined;
  return (
    <Page title={text.title} actions={actions} isWide>
      {mayProjects ? (
        <Loaded query={projects}>{({ items }) => <Chosen projects={items} isOfTasks={isOfTasks} />}</Loaded>
      ) : (
        <Chosen projects={[]} isOfTasks={isOfTasks} />
      )}
    </Page>
  );
}

interface ChosenProps {
  readonly projects: readonly Project[];
  readonly isOfTasks: boolean;
}

// Tasks are those of one project: the first one unless the address names another.
function Chosen({ projects, isOfTasks }: ChosenProps): ReactNode {
  const text = useBoardText();
  const { project } = useSearch({ from: '/o/$orgId/board' });
  const named = projects.find(({ id }) => id === project);
  if (!isOfTasks) return <IssueBoard projects={projects} projectId={named?.id} />;
  const chosen = named ?? projects[0];
  if (chosen !== undefined) return <TaskBoard key={chosen.id} projects={projects} projectId={chosen.id} />;
  return (
    <Empty icon={<SquareKanban />} title={text.withoutProject}>
      {text.withoutProjectWhy}
    </Empty>
  );
}

function Subject({ isOfTasks }: { readonly isOfTasks: boolean }): ReactNode {
  const text = useBoardText();
  const orgId = useOrgId();
  const { project } = useSearch({ from: '/o/$orgId/board' });
  const kept: BoardSearch = project === undefined ? {} : { project };
  return (
    <nav aria-label={text.of.label} className={classes.subject}>
      <Link
        to="/o/$orgId/board"
        params={{ orgId }}
        search={kept}
        aria-current={isOfTasks ? undefined : 'page'}
        activeOptions={{ exact: true }}
        activeProps={{}}
      >
        {text.of.issues}
      </Link>
      <Link
        to="/o/$orgId/board"
        params={{ orgId }}
        search={{ ...kept, of: 'tasks' }}
        aria-current={isOfTasks ? 'page' : undefined}
        activeOptions={{ exact: true }}
        activeProps={{}}
      >
        {text.of.tasks}
      </Link>
    </nav>
  );
}
