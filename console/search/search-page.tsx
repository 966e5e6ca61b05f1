import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { decodeEntities } from '../ui/markdown/entities.ts';
import { isLongEnough } from '../../domain/search.ts';
import { type Agent, useAgents } from '../agents/queries.ts';
import { type Pages, useAnswer, usePages } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useCan, useIsAdvanced } from '../core/permissions.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import type { components } from '../openapi.ts';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Empty, Loaded, Page, Pager, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './search-page.module.css';
import { useSearchText } from './text.ts';

const MOST_AGENTS = 10;

/** Finds messages, agents and issues by their words; agents and issues for whom they are shown. */
export function SearchPage(): ReactNode {
  const text = useSearchText();
  const shown = useShown();
  const navigate = useNavigate({ from: '/o/$orgId/search' });
  const { q = '' } = useSearch({ from: '/o/$orgId/search' });
  const query = q.trim();
  return (
    <Page title={text.title}>
      <SearchField
        label={text.field(shown.agents, shown.issues)}
        value={q}
        isFirst
        onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
      />
      {isLongEnough(query) ? <Found query={query} /> : <p className="muted">{text.hint}</p>}
    </Page>
  );
}

/** Returns what the user is shown beside messages. */
function useShown(): { readonly agents: boolean; readonly issues: boolean } {
  const isAdvanced = useIsAdvanced();
  const [agents, issues] = [useCan('agents.view'), useCan('issues.view')];
  return { agents: agents && isAdvanced, issues: issues && isAdvanced };
}

function Found({ query }: { readonly query: string }): ReactNode {
  const text = useSearchText();
  const { agents: maySeeAgents, issues: maySeeIssues } = useShown();
  const { data: issues = [] } = useFoundIssues(maySeeIssues ? query : '');
  const [messages, agents] = [useFoundMessages(query), useAgents()];
  const wanted = query.toLowerCase();
  const named = maySeeAgents ? (agents.data?.items ?? []).filter((agent) => namesOf(agent).includes(wanted)) : [];
  return (
    <>
      {named.length > 0 && <FoundAgents agents={named.slice(0, MOST_AGENTS)} />}
      {issues.length > 0 && <FoundIssues issues={issues} />}
      <Loaded query={messages}>
        {({ items, total }) => {
          if (items.length > 0) return <FoundMessages pages={messages} messages={items} total={total} />;
          if (named.length + issues.length > 0) return null;
          return (
            <Empty icon={<SearchX />} title={text.none(showInvisible(query))}>
              {[text.searched, maySeeAgents && text.searchedAgents, maySeeIssues && text.searchedIssues]
                .filter((words) => words !== false)
                .join(' ')}
            </Empty>
          );
        }}
      </Loaded>
    </>
  );
}

type FoundMessage = components['schemas']['SearchResult'];
type FoundIssue = components['schemas']['Issue'];
const PAGE_SIZE = 20;
const MOST_ISSUES = 10;

/** Returns the messages that a search finds, the best first. */
function useFoundMessages(query: string): Pages<FoundMessage> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages({
    queryKey: [orgId, 'chats', 'search', query],
    pageSize: PAGE_SIZE,
    keyOf: ({ message_id: id }) => id,
    read: async ({ limit, offset, signal }) => {
      const page = { q: query, page: offset / limit + 1, per_page: limit };
      const { results, total } = await answerOf(api.GET('/api/chats/search', { params: { query: page }, signal }));
      return { items: results, total };
    },
  });
}

/** Returns the first issues that have words in their title or description; asks for nothing without words. */
function useFoundIssues(query: string): UseQueryResult<FoundIssue[]> {
  return useAnswer(['issues', 'search', query], '/api/issues', {
    params: { query: { q: query, limit: MOST_ISSUES } },
    enabled: query !== '',
  });
}

function namesOf({ name, description }: Agent): string {
  return `${name}\n${description}`.toLowerCase();
}

function FoundAgents({ agents }: { readonly agents: readonly Agent[] }): ReactNode {
  const text = useSearchText();
  const orgId = useOrgId();
  return (
    <Section title={text.agents}>
      <ul className={classes.found}>
        {agents.map(({ id, name, description }) => (
          <li key={id}>
            <Link to="/o/$orgId/agents/$agentId" params={{ orgId, agentId: id }} className={classes.line}>
              <strong>{showInvisible(name)}</strong>
              <span className={classes.excerpt}>{showInvisible(description)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FoundIssues({ issues }: { readonly issues: readonly FoundIssue[] }): ReactNode {
  const text = useSearchText();
  const orgId = useOrgId();
  return (
    <Section title={text.issues}>
      <ul className={classes.found}>
        {issues.map(({ id, number, title }) => (
          <li key={id}>
            <Link to="/o/$orgId/issues/$issueId" params={{ orgId, issueId: id }} className={classes.line}>
              <strong>{`#${number} ${showInvisible(title)}`}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface FoundMessagesProps {
  readonly pages: Pages<FoundMessage>;
  readonly messages: readonly FoundMessage[];
  readonly total: number;
}

function FoundMessages({ pages, messages, total }: FoundMessagesProps): ReactNode {
  const text = useSearchText();
  return (
    <Section title={text.messages} lead={text.found(total)}>
      <ul className={classes.found}>
        {messages.map((message) => (
          <MessageLine key={message.message_id} message={message} />
        ))}
      </ul>
      <Pager pages={pages} />
    </Section>
  );
}

function MessageLine({ message }: { readonly message: FoundMessage }): ReactNode {
  const text = useSearchText();
  const orgId = useOrgId();
  const { chat_id: chatId, chat_title: title, message_id: messageId, excerpt, role, created_at: at } = message;
  return (
    <li>
      <Link
        to="/o/$orgId/chats/$chatId"
        params={{ orgId, chatId }}
        search={{ message: messageId }}
        className={classes.line}
      >
        <span className="row justify-between items-baseline">
          <strong>{title === '' ? text.untitled : showInvisible(title)}</strong>
          <span className="soft">
            {role === 'user' ? text.you : text.agent} · {timeFromNow(at)}
          </span>
        </span>
        <span className={classes.excerpt}>
          {excerptParts(excerpt).map((part, index) =>
            part.isFound ? <mark key={index}>{showInvisible(part.text)}</mark> : showInvisible(part.text),
          )}
        </span>
      </Link>
    </li>
  );
}

/** A part of an excerpt. */
interface ExcerptPart {
  readonly text: string;
  /** Whether it is a word that was searched for. */
  readonly isFound: boolean;
}

/**
 * Returns the parts of an excerpt, in order. The server marks found words by `<mark>` and escapes all else, so what is
 * between the marks is text.
 */
export function excerptParts(excerpt: string): readonly ExcerptPart[] {
  const parts = excerpt.split(/<\/?mark>/);
  return parts
    .map((part, at) => ({ text: decodeEntities(part), isFound: at % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
