import { Link, useSearch } from '@tanstack/react-router';
import { Bot, User } from 'lucide-react';
import type { ReactNode } from 'react';
import { useIsAdvanced } from '../core/permissions.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { type Issue, useIssue } from '../issues/queries.ts';
import { IssueStatusBadge } from '../issues/status-badge.tsx';
import { PriorityMark } from '../priorities/priority-mark.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { SideSheet } from '../ui/overlays/dialog.tsx';
import { Facts, Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './board.module.css';
import type { BoardSearch } from './routes.ts';
import { useBoardText } from './text.ts';
import type { CardLink } from './view/board-view.tsx';

const MOST_LABELS = 3;

/** What a card says of an issue. */
export function IssueFace({ issue, link }: { readonly issue: Issue; readonly link: CardLink }): ReactNode {
  const orgId = useOrgId();
  const search = useSearch({ from: '/o/$orgId/board' });
  const { id, number, title, priority, labels, assigned_agent_name: agent, assigned_user_name: person } = issue;
  return (
    <Link
      {...link}
      to="/o/$orgId/board"
      params={{ orgId }}
      search={{ ...search, card: id }}
      activeProps={{}}
      className={classes.face}
    >
      <span className={classes.soft}>
        <PriorityMark priority={priority} />#{number}
      </span>
      <span className={classes.title}>{showInvisible(title)}</span>
      {(labels.length > 0 || agent !== null || person !== null) && (
        <span className={classes.facts}>
          {agent !== null && <Who icon={<Bot aria-hidden />} name={agent} />}
          {person !== null && <Who icon={<User aria-hidden />} name={person} />}
          {labels.slice(0, MOST_LABELS).map((label) => (
            <span key={label} className={`truncate ${classes.label}`}>
              {showInvisible(label)}
            </span>
          ))}
          {labels.length > MOST_LABELS && <span>+{labels.length - MOST_LABELS}</span>}
        </span>
      )}
    </Link>
  );
}

/** Who works on something. */
export function Who({ icon, name }: { readonly icon: ReactNode; readonly name: string }): ReactNode {
  return (
    <span className={classes.who}>
      {icon}
      <span>{showInvisible(name)}</span>
    </span>
  );
}

/** A look into the issue that the address names. */
export function IssuePeek({ issues }: { readonly issues: readonly Issue[] }): ReactNode {
  const text = useBoardText();
  const { card } = useSearch({ from: '/o/$orgId/board' });
  const change = useChangeSearch<BoardSearch>();
  const known = issues.find(({ id }) => id === card);
  return (
    <SideSheet
      open={card !== undefined}
      onClose={() => change({ card: undefined })}
      kind={known === undefined ? text.peek.issue : `${text.peek.issue} #${known.number}`}
      title={showInvisible(known?.title ?? '')}
    >
      {card !== undefined && <Content issueId={card} />}
    </SideSheet>
  );
}

function Content({ issueId }: { readonly issueId: string }): ReactNode {
  const text = useBoardText();
  const [issue, orgId, isAdvanced] = [useIssue(issueId), useOrgId(), useIsAdvanced()];
  return (
    <Loaded query={issue}>
      {({ status, priority, description, labels, assigned_agent_name: agent }) => (
        <div className="stack">
          <div className="wrap">
            <IssueStatusBadge status={status} />
            <PriorityMark priority={priority} isNamed />
          </div>
          <Facts
            facts={[
              ...(agent === null ? [] : [{ label: text.agent, value: showInvisible(agent) }]),
              ...(labels.length === 0 ? [] : [{ label: text.labelled, value: labels.map(showInvisible).join(', ') }]),
            ]}
          />
          {isAdvanced && (
            <div className="wrap">
              <Link to="/o/$orgId/issues/$issueId" params={{ orgId, issueId }} className={buttonClass('primary')}>
                {text.peek.open}
              </Link>
            </div>
          )}
          {description === '' ? <p>{text.peek.noDescription}</p> : <Markdown text={description} />}
        </div>
      )}
    </Loaded>
  );
}
