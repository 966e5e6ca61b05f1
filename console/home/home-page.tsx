import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { useCan } from '../core/permissions.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { usePendingApprovals } from '../inbox/index.ts';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './home-page.module.css';
import { type Chat, useRecentChats } from './queries.ts';
import { useHomeText } from './text.ts';

/** What needs the user, and where they were. */
export function HomePage() {
  const [text, nav] = [useHomeText(), useText().nav];
  const { data: user } = useCurrentUser();
  const chats = useRecentChats();
  const [maySee, mayBegin] = [useCan('approvals.view'), useCan('agents.manage')];
  const orgId = useOrgId();
  return (
    <Page title={text.hello(showInvisible(user?.full_name.split(' ')[0] ?? ''))}>
      {maySee && <Decisions />}
      <section className={classes.section} aria-labelledby="recent">
        <h2 id="recent">{text.recent}</h2>
        <Loaded query={chats}>
          {(all) =>
            all.length === 0 ? (
              <Empty
                icon={<MessageSquare />}
                title={text.noChats}
                action={
                  mayBegin ? (
                    <Link to="/welcome" className={buttonClass('primary')}>
                      {nav.getStarted}
                    </Link>
                  ) : (
                    <Link to="/o/$orgId/chats" params={{ orgId }} className={buttonClass('primary')}>
                      {text.newChat}
                    </Link>
                  )
                }
              >
                {text.noChatsWhy}
              </Empty>
            ) : (
              <ul className={classes.list}>
                {all.map((chat) => (
                  <ChatLine key={chat.id} chat={chat} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}

function Decisions() {
  const text = useHomeText();
  const orgId = useOrgId();
  const approvals = usePendingApprovals(true);
  return (
    <section className={classes.section} aria-labelledby="decisions">
      <h2 id="decisions">{text.waiting}</h2>
      <Loaded query={approvals}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes.calm}>{text.noWaiting}</p>
          ) : (
            <ul className={classes.list}>
              {items.map(({ id, agent_name: agent, tool, label, requested_at: at }) => (
                <li key={id} className={classes.line}>
                  <Link to="/o/$orgId/inbox" params={{ orgId }} search={{ id }} className={classes.title}>
                    {text.asked(showInvisible(agent), showInvisible(tool ?? label))}
                  </Link>
                  <span className={classes.time}>{timeFromNow(at)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function ChatLine({ chat }: { readonly chat: Chat }) {
  const text = useHomeText();
  const title = chat.title === '' ? text.untitled : showInvisible(chat.title);
  return (
    <li className={classes.line}>
      <ChatLink chatId={chat.id}>{title}</ChatLink>
      {chat.status !== 'idle' && (
        <Badge tone={chat.status === 'running' ? 'good' : 'warn'}>{text.status[chat.status]}</Badge>
      )}
      <span className={classes.time}>{timeFromNow(chat.updated_at)}</span>
    </li>
  );
}

function ChatLink({ chatId, children }: { readonly chatId: string; readonly children: string }) {
  const orgId = useOrgId();
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className={classes.title}>
      {children}
    </Link>
  );
}
