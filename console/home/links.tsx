import { Link } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './home-page.module.css';
import type { Chat, Run } from './queries.ts';
import { useHomeText } from './text.ts';

/** Leads to a chat. */
export function ChatLink({ chat: { id, title } }: { readonly chat: Chat }) {
  const [text, orgId] = [useHomeText(), useOrgId()];
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: id }} className={classes.title}>
      {title === '' ? text.untitled : showInvisible(title)}
    </Link>
  );
}

/** Leads to a run, beside the others. */
export function RunLink({ run: { id, name } }: { readonly run: Run }) {
  const orgId = useOrgId();
  return (
    <Link to="/o/$orgId/runs" params={{ orgId }} search={{ id }} className={classes.title}>
      {showInvisible(name)}
    </Link>
  );
}
