import { Link, Outlet, useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { browserStorage } from '../core/browser/browser.ts';
import { useDrafts } from '../core/drafts.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow, timeOfDay } from '../core/text/formats.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { Badge, Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './chats.module.css';
import { newsIn } from './log/seen.ts';
import type { Chat } from './phase.ts';
import { type ListedChats, useChats } from './queries.ts';
import { useChatsText } from './text.ts';

/** The list of chats beside the one that is open. A phone shows one of the two. */
export function ChatsPage(): ReactNode {
  const { chatId } = useParams({ strict: false });
  return (
    <div className={classes.split} data-open={chatId === undefined ? undefined : ''}>
      <ChatList />
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  );
}

/** The chats, the last changed first; those at work say so. */
function ChatList(): ReactNode {
  const [text, words] = [useText(), useChatsText()];
  const orgId = useOrgId();
  const [listed, choose] = useListedChats();
  const chats = useChats(listed);
  const [filter, setFilter] = useState('');
  return (
    <nav className={`list p-3 ${classes.list}`} aria-label={words.list}>
      <div className={classes.tools}>
        <Link to="/o/$orgId/chats" params={{ orgId }} className={buttonClass()}>
          <Plus aria-hidden />
          {words.newChat}
        </Link>
        <SearchField label={words.filter} value={filter} isInstant onChange={setFilter} />
        <SelectField
          label={words.listed.label}
          isLabelHidden
          name="listed"
          value={listed}
          options={(['person', 'all'] as const).map((value) => ({ value, label: words.listed[value] }))}
          onValueChange={choose}
        />
      </div>
      <Loaded query={chats}>
        {({ items, total }) => (
          <>
            {items.length < total && <p>{text.common.of(items.length, total)}</p>}
            <Chats chats={matching(items, filter)} isFiltered={filter !== ''} />
          </>
        )}
      </Loaded>
    </nav>
  );
}

const KEY = 'everturn.listed-chats';

/** Returns which chats are listed in this browser, and what chooses it. */
function useListedChats() {
  const [listed, setListed] = useState<ListedChats>(browserStorage.read(KEY) === 'all' ? 'all' : 'person');
  const choose = (chosen: ListedChats) => {
    browserStorage.write(KEY, chosen);
    setListed(chosen);
  };
  return [listed, choose] as const;
}

function Chats({ chats, isFiltered }: { readonly chats: readonly Chat[]; readonly isFiltered: boolean }): ReactNode {
  const text = useChatsText();
  const orgId = useOrgId();
  const { chatId } = useParams({ strict: false });
  const hasNews = newsIn(useDrafts());
  if (chats.length === 0) return <p className={classes.none}>{isFiltered ? text.none : text.empty}</p>;
  return (
    <ul className={classes.chats}>
      {chats.map(({ id, title, updated_at: time, ...chat }) => (
        <li key={id}>
          <Link
            to="/o/$orgId/chats/$chatId"
            params={{ orgId, chatId: id }}
            className={classes.chat}
            activeProps={{ className: classes.current, 'aria-current': 'page' }}
          >
            <span className={`truncate ${classes.name}`}>{showInvisible(title)}</span>
            {id !== chatId && hasNews(id, time) && <News />}
            <WorkBadge chat={chat} />
            <span className={`faint ${classes.changed}`}>{timeFromNow(time)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function News(): ReactNode {
  const text = useChatsText();
  return (
    <span className={classes.news} title={text.hasNews}>
      <span className="hidden">{text.hasNews}</span>
    </span>
  );
}

function matching(chats: readonly Chat[], filter: string): readonly Chat[] {
  const wanted = filter.trim().toLowerCase();
  return chats.filter(({ title }) => title.toLowerCase().includes(wanted));
}

type Work = Pick<Chat, 'status' | 'waiting_for' | 'waiting_until'>;

function WorkBadge({ chat: { status, waiting_for: what, waiting_until: until } }: { readonly chat: Work }): ReactNode {
  const text = useChatsText();
  if (status === 'idle') return null;
  // A decision is waited for until it expires, which is months away.
  if (what === 'approval') return <Badge tone="warn">{text.needsDecision}</Badge>;
  if (what === 'worker') return <Badge tone="warn">{text.needsWorker}</Badge>;
  const waits = status === 'waiting' && until !== null;
  return (
    <Badge tone={status === 'running' ? 'good' : 'warn'}>
      {waits ? text.waitingUntil(timeOfDay(until)) : text.status[status]}
    </Badge>
  );
}
