import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './projects.module.css';
import { type LogEntry, useProjectLog } from './queries.ts';
import { type ProjectsText, useProjectsText } from './text.ts';

/** What was done in a project, the newest first. */
export function ActivityTab({ projectId }: { readonly projectId: string }): ReactNode {
  const text = useProjectsText();
  const log = useProjectLog(projectId);
  return (
    <Loaded query={log}>
      {({ pages }) => {
        const entries = pages.flatMap(({ items }) => items);
        if (entries.length === 0) return <p className="soft">{text.log.none}</p>;
        return (
          <div className={classes.parts}>
            <ol className={classes.rows}>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ol>
            {log.hasNextPage && (
              <div>
                <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                  {text.log.older}
                </Button>
              </div>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function Entry({ entry }: { readonly entry: LogEntry }): ReactNode {
  const text = useProjectsText();
  const { log } = text;
  const { user_name: user, agent_name: agent, action, record_type: type, created_at: at, changes } = entry;
  const person = showInvisible(user ?? log.somebody);
  return (
    <li>
      <span className={classes.grow}>
        <strong>{agent === null ? person : log.forUser(showInvisible(agent), person)}</strong> {log.actions[action]}{' '}
        {log.records[type]} <Record entry={entry} />
        {Object.entries(changes).map(([field, change]) => (
          <span key={field} className="line-clamp-2 soft font-normal">
            {wordsOf(field, change, text)}
          </span>
        ))}
      </span>
      <time dateTime={at} className="soft">
        {timeFromNow(at)}
      </time>
    </li>
  );
}

function Record({ entry }: { readonly entry: LogEntry }): ReactNode {
  const orgId = useOrgId();
  const { record_id: id, record_type: type, title, action } = entry;
  const name = showInvisible(title ?? '');
  if (action === 'deleted') return name;
  if (type === 'issue') {
    return (
      <Link to="/o/$orgId/issues/$issueId" params={{ orgId, issueId: id }}>
        {name}
      </Link>
    );
  }
  if (type !== 'task') return name;
  return (
    <Link to="/o/$orgId/tasks/$taskId" params={{ orgId, taskId: id }}>
      {name}
    </Link>
  );
}

function wordsOf(field: string, { from, to }: LogEntry['changes'][string], { log }: ProjectsText): string {
  const name = field.replaceAll('_', ' ');
  if (from === null && to === null) return log.changed(name);
  const shown = (value: typeof from) => showInvisible([value ?? []].flat().join(', ')) || log.nothing;
  return log.change(name, shown(from), shown(to));
}
