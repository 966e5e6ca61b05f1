import { Link } from '@tanstack/react-router';
import { Bot, MessageSquare, Plus } from 'lucide-react';
import { type Agent, useAgents } from '../agents/queries.ts';
import { useCan } from '../core/permissions.ts';
import { useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import { Badge, Empty, Loaded, Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { Budgets } from '../usage/budgets.tsx';
import { Attention, ChatLink, Line, RunLink } from './attention.tsx';
import classes from './home-page.module.css';
import { type Chat, useRecentChats, useRunningRuns } from './queries.ts';
import { useHomeText } from './text.ts';

/** The recent chats that are listed. */
const SHOWN = 8;

/** What needs the user, what is at work, and where they were. */
export function HomePage() {
  const text = useHomeText();
  const { data: user } = useCurrentUser();
  const [chats, agents] = [useRecentChats(), useAgents()];
  // Keeps the sections below from shifting when the agents arrive; they do not wait for a server that fails.
  const hasSettled = !agents.isPending || agents.failureReason !== null;
  const active = agents.data?.items.filter(({ is_active: isActive }) => isActive) ?? [];
  return (
    <Page
      title={text.hello(showInvisible(user?.full_name.split(' ')[0] ?? ''))}
      actions={active.length > 0 && <NewChat />}
    >
      {active.length > 0 && <AgentCards agents={active} />}
      {hasSettled && (
        <>
          <Attention chats={chats.data} />
          <Running chats={chats.data ?? []} />
          <Loaded query={chats}>
            {(all) => (all.length > 0 ? <RecentChats chats={all} /> : !agents.isPending && <NoChats agents={active} />)}
          </Loaded>
          <Budgets />
        </>
      )}
    </Page>
  );
}

const SHOWN_AGENTS = 6;

/** Agents to start a chat with. */
function AgentCards({ agents }: { readonly agents: readonly Agent[] }) {
  const [text, orgId] = [useHomeText(), useOrgId()];
  return (
    <section className={`stack gap-3 ${classes.agents}`} aria-labelledby="agents">
      <h2 id="agents">{text.agents}</h2>
      <ul className={classes.cards}>
        {agents.slice(0, SHOWN_AGENTS).map(({ id, name, description }) => (
          <li key={id}>
            <Link to="/o/$orgId/chats" params={{ orgId }} search={{ agent: id }} className={classes.card}>
              <Bot aria-hidden />
              <span className={`truncate ${classes.name}`}>{showInvisible(name)}</span>
              {description !== null && description !== '' && (
                <span className={`line-clamp-2 soft ${classes.what}`}>{showInvisible(description)}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NewChat() {
  const [text, orgId] = [useHomeText(), useOrgId()];
  return (
    <Link to="/o/$orgId/chats" params={{ orgId }} className={buttonClass('primary')}>
      <Plus aria-hidden />
      {text.newChat}
    </Link>
  );
}

function RecentChats({ chats }: { readonly chats: readonly Chat[] }) {
  const text = useHomeText();
  return (
    <section className={classes.section} aria-labelledby="recent">
      <h2 id="recent">{text.recent}</h2>
      <ul className="card">
        {chats.slice(0, SHOWN).map((chat) => (
          <Line
            key={chat.id}
            link={<ChatLink chat={chat} />}
            badge={
              chat.status !== 'idle' && (
                <Badge tone={chat.status === 'running' ? 'good' : 'warn'}>{text.status[chat.status]}</Badge>
              )
            }
            time={chat.updated_at}
          />
        ))}
      </ul>
    </section>
  );
}

/** Leads to a first chat; where there is no agent yet, to the first steps for whoever may take them. */
function NoChats({ agents }: { readonly agents: readonly Agent[] }) {
  const [text, nav, mayBegin] = [useHomeText(), useText().nav, useCan('agents.manage')];
  const isNew = agents.length === 0 && mayBegin;
  return (
    <Empty
      icon={<MessageSquare />}
      title={text.noChats}
      action={
        isNew ? (
          <Link to="/welcome" className={buttonClass('primary')}>
            {nav.getStarted}
          </Link>
        ) : (
          agents.length === 0 && <NewChat />
        )
      }
    >
      {text.noChatsWhy}
    </Empty>
  );
}

/** Chats and runs that are at work; nothing while there are none. */
function Running({ chats }: { readonly chats: readonly Chat[] }) {
  const text = useHomeText();
  const runs = useRunningRuns().data ?? [];
  const running = chats.filter(({ status }) => status === 'running');
  if (runs.length + running.length === 0) return null;
  const badge = <Badge tone="good">{text.status.running}</Badge>;
  return (
    <section className={classes.section} aria-labelledby="running">
      <h2 id="running">{text.running}</h2>
      <ul className="card">
        {running.map((chat) => (
          <Line key={chat.id} link={<ChatLink chat={chat} />} badge={badge} time={chat.updated_at} />
        ))}
        {runs.map((run) => (
          <Line key={run.id} link={<RunLink run={run} />} badge={badge} time={run.started_at ?? run.created_at} />
        ))}
      </ul>
    </section>
  );
}
