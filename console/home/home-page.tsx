import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { useCan } from '../core/permissions.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow, timeOfDay } from '../core/text/times.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { usePendingApprovals } from '../inbox/index.ts';
import { Budgets } from '../usage/index.ts';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './home-page.module.css';
import { type Chat, useFailedRuns, useRecentChats } from './queries.ts';
import { useHomeText } from './text.ts';

const MOST_RECENT = 8;

/** What needs the user, and where they were. */
export function HomePage() {
  const text = useHomeText();
  const { data: user } = useCurrentUser();
  const chats = useRecentChats();
  const atWork = (chats.data ?? []).filter(({ status }) => status !== 'idle');
  const [maySee, maySeeRuns] = [useCan('approvals.view'), useCan('schedules.view')];
  return (
    <Page title={text.hello(showInvisible(user?.full_name.split(' ')[0] ?? ''))}>
      {maySee && <Decisions />}
      <AtWork chats={atWork} />
      {maySeeRuns && <FailedRuns />}
      <Budgets />
      <Recent chats={chats} />
    </Page>
  );
}

/** The chats that the user has left last; none while all of them are at work. */
function Recent({ chats }: { readonly chats: ReturnType<typeof useRecentChats> }) {
  const text = useHomeText();
  const idle = (chats.data ?? []).filter(({ status }) => status === 'idle').slice(0, MOST_RECENT);
  if (idle.length === 0 && chats.data !== undefined && chats.data.length > 0) return null;
  return (
    <section className={classes.section} aria-labelledby="recent">
      <h2 id="recent">{text.recent}</h2>
      <Loaded query={chats}>
        {() =>
          idle.length === 0 ? (
            <NoChats />
          ) : (
            <ul className={classes.list}>
              {idle.map((chat) => (
                <ChatLine key={chat.id} chat={chat} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function NoChats() {
  const [text, nav] = [useHomeText(), useText().nav];
  const mayBegin = useCan('agents.manage');
  const orgId = useOrgId();
  return (
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
            {nav.newChat}
          </Link>
        )
      }
    >
      {text.noChatsWhy}
    </Empty>
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

function AtWork({ chats }: { readonly chats: readonly Chat[] }) {
  const text = useHomeText();
  if (chats.length === 0) return null;
  return (
    <section className={classes.section} aria-labelledby="at-work">
      <h2 id="at-work">{text.atWork}</h2>
      <ul className={classes.list}>
        {chats.map((chat) => (
          <ChatLine key={chat.id} chat={chat} />
        ))}
      </ul>
    </section>
  );
}

/** What has failed by itself lately, each with the reason. */
function FailedRuns() {
  const text = useHomeText();
  const orgId = useOrgId();
  const { data: runs = [] } = useFailedRuns(true);
  if (runs.length === 0) return null;
  return (
    <section className={classes.section} aria-labelledby="failed">
      <header className={classes.head}>
        <h2 id="failed">{text.failed}</h2>
        <Link to="/o/$orgId/inbox" params={{ orgId }} search={{ view: 'failed' }}>
          {text.allFailed}
        </Link>
      </header>
      <ul className={classes.list}>
        {runs.map(({ id, name, error, created_at: at }) => (
          <li key={id} className={classes.line}>
            <Link to="/o/$orgId/inbox" params={{ orgId }} search={{ view: 'failed', id }} className={classes.title}>
              {showInvisible(name)}
              <span className={classes.reason}>{error === null ? text.noReason : showInvisible(error)}</span>
            </Link>
            <span className={classes.time}>{timeFromNow(at)}</span>
          </li>
        ))}
      </ul>
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
        <Badge tone={chat.status === 'running' ? 'good' : 'warn'}>
          {chat.status === 'waiting' && chat.waiting_until !== null
            ? text.waitingUntil(timeOfDay(chat.waiting_until))
            : text.status[chat.status]}
        </Badge>
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
