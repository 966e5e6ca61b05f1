import { Link, useSearch } from '@tanstack/react-router';
import { Bot, User } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import type { Issue } from '../../issues/index.ts';
import { PriorityMark } from '../../priorities/index.ts';
import { showInvisible } from '../../ui/visible.ts';
import type { CardLink } from '../view/board-view.tsx';
import classes from './cards.module.css';

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
            <span key={label} className={classes.label}>
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
