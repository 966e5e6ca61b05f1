import { Link } from '@tanstack/react-router';
import { CircleDot, ListTodo, SquareKanban } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCan } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { buttonClass } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../projects.module.css';
import type { Project } from '../queries.ts';
import { RepoBadge } from '../repo-badge.tsx';
import { useProjectsText } from '../text.ts';

/** What a project is, and where its work is. */
export function OverviewTab({ project }: { readonly project: Project }): ReactNode {
  const [text, orgId] = [useProjectsText(), useOrgId()];
  const [mayIssues, mayTasks] = [useCan('issues.view'), useCan('tasks.view')];
  const { id, description, repo_url: url, created_at: at, agent_ids: agents } = project;
  const words = text.overview;
  const facts = [
    {
      label: text.repository,
      value:
        url === '' ? (
          text.noRepository
        ) : (
          <span className={classes.links}>
            <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={classes.address}>
              {showInvisible(url)}
            </a>
            <RepoBadge project={project} />
          </span>
        ),
    },
    { label: text.agents, value: text.agentCount(agents.length) },
    { label: words.created, value: timeFromNow(at) },
  ];
  return (
    <div className={classes.parts}>
      {description === '' ? <p className={classes.soft}>{words.noDescription}</p> : <Markdown text={description} />}
      <div className={classes.links}>
        <Link to="/o/$orgId/board" params={{ orgId }} search={{ project: id }} className={buttonClass()}>
          <SquareKanban aria-hidden />
          {words.board}
        </Link>
        {mayIssues && (
          <Link to="/o/$orgId/issues" params={{ orgId }} search={{ project: id }} className={buttonClass()}>
            <CircleDot aria-hidden />
            {words.issues}
          </Link>
        )}
        {mayTasks && (
          <Link to="/o/$orgId/tasks" params={{ orgId }} search={{ project: id }} className={buttonClass()}>
            <ListTodo aria-hidden />
            {words.tasks}
          </Link>
        )}
      </div>
      <Facts facts={facts} />
    </div>
  );
}
