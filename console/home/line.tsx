import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsAdvanced } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { showInvisible } from '../ui/visible.ts';
import classes from './home-page.module.css';
import type { Chat, Run } from './queries.ts';
import { useHomeText } from './text.ts';

interface LineProps {
  /** Leads to what the line is about. */
  readonly link: ReactNode;
  readonly badge?: ReactNode;
  /** Absent where it is not known. */
  readonly time?: string | undefined;
}

/** One line of a list of the home page. */
export function Line({ link, badge, time }: LineProps) {
  return (
    <li className={classes.line}>
      {link}
      {badge}
      {time !== undefined && <span className={classes.time}>{timeFromNow(time)}</span>}
    </li>
  );
}

/** Leads to a chat. */
export function ChatLink({ chat: { id, title } }: { readonly chat: Chat }) {
  const [text, orgId] = [useHomeText(), useOrgId()];
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: id }} className={classes.title}>
      {title === '' ? text.untitled : showInvisible(title)}
    </Link>
  );
}

/** Leads to a run, beside the others; to its chat for who is not shown the pages of runs. */
export function RunLink({ run: { id, name, chat_id: chatId } }: { readonly run: Run }) {
  const [orgId, isAdvanced] = [useOrgId(), useIsAdvanced()];
  if (!isAdvanced && chatId === null) return <span className={classes.title}>{showInvisible(name)}</span>;
  if (!isAdvanced && chatId !== null)
    return (
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className={classes.title}>
        {showInvisible(name)}
      </Link>
    );
  return (
    <Link to="/o/$orgId/runs" params={{ orgId }} search={{ id }} className={classes.title}>
      {showInvisible(name)}
    </Link>
  );
}
