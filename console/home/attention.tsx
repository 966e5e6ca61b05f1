import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan, useIsAdvanced, useOwnPermissions } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { showInvisible } from '../ui/visible.ts';
import classes from './home-page.module.css';
import { type Chat, type Run, useFailedRuns } from './queries.ts';
import { useHomeText } from './text.ts';
import { usePendingApprovals } from '../inbox/index.ts';
import { isFailing, type Provider, useProviders } from '../providers/queries.ts';
import { Badge } from '../ui/page/page.tsx';

/** The decisions that are listed; the inbox has all of them. */
const MOST_DECISIONS = 5;

/** What waits for the user: decisions, providers and runs that have failed, and chats that wait for a provider. */
export function Attention({ chats }: { readonly chats: readonly Chat[] | undefined }) {
  const text = useHomeText();
  const { decisions, providers, failed, problem, isRead } = useAttention();
  const mayDecide = useCan('approvals.view');
  // Those that wait for a decision are among the decisions, for who sees these.
  const waiting = (chats ?? []).filter(
    ({ status, waiting_for: what }) => status === 'waiting' && !(mayDecide && what === 'approval'),
  );
  const hasSome = decisions.items.length + providers.length + failed.length + waiting.length > 0;
  const isCalm = !hasSome && problem === null;
  const isKnown = isRead && chats !== undefined;
  return (
    <section className={classes.section} aria-labelledby="attention">
      <h2 id="attention">{text.attention}</h2>
      {problem !== null && <p className="muted">{problem.message}</p>}
      {isCalm && <p className={isKnown ? 'muted' : classes.unknown}>{text.calm}</p>}
      {hasSome && (
        <ul className="card">
          <Decisions {...decisions} />
          <FailingProviders accounts={providers} />
          {failed.map((run) => (
            <Line
              key={run.id}
              link={<RunLink run={run} />}
              badge={<Badge tone="danger">{text.failed}</Badge>}
              time={run.completed_at ?? run.created_at}
            />
          ))}
          {waiting.map((chat) => (
            <Line
              key={chat.id}
              link={<ChatLink chat={chat} />}
              badge={<Badge tone="warn">{text.status.waiting}</Badge>}
              time={chat.updated_at}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Returns the accounts that do not work: those whose last call failed, and those that are disabled. */
function failingOf(accounts: readonly Provider[]): readonly Provider[] {
  return accounts.filter((account) => isFailing(account) || account.status === 'disabled');
}

/** Says of how many accounts the last call failed, and how many are disabled, and leads to them. */
function FailingProviders({ accounts }: { readonly accounts: readonly Provider[] }) {
  const text = useHomeText();
  const failing = accounts.filter(isFailing);
  const disabled = accounts.filter(({ status }) => status === 'disabled');
  const times = failing.flatMap(({ last_failed_at: at }) => at ?? []).toSorted();
  return (
    <>
      {failing.length > 0 && (
        <Line
          link={<ProvidersLink accounts={failing} words={text.failingCount(failing.length)} />}
          badge={<Badge tone="danger">{text.failing}</Badge>}
          time={times.at(-1)}
        />
      )}
      {disabled.length > 0 && (
        <Line
          link={<ProvidersLink accounts={disabled} words={text.disabled(disabled.length)} />}
          badge={<Badge tone="danger">{text.off}</Badge>}
        />
      )}
    </>
  );
}

/** Leads to the only one of some accounts, or to all of them. */
function ProvidersLink({ accounts, words }: { readonly accounts: readonly Provider[]; readonly words: string }) {
  const orgId = useOrgId();
  const [only] = accounts;
  if (only === undefined || accounts.length > 1)
    return (
      <Link to="/o/$orgId/providers" params={{ orgId }} className={classes.title}>
        {words}
      </Link>
    );
  return (
    <Link to="/o/$orgId/providers/$providerId" params={{ orgId, providerId: only.id }} className={classes.title}>
      {words}
    </Link>
  );
}

/** Reads what the user may see of it. Before the rights are known nothing is asked for, so nothing loads either. */
function useAttention() {
  const rights = useOwnPermissions();
  const [pending, failures] = [usePendingApprovals(useCan('approvals.view')), useFailedRuns()];
  const accounts = useProviders(useCan('providers.view'));
  return {
    decisions: pending.data ?? { items: [], total: 0 },
    providers: failingOf(accounts.data ?? []),
    failed: failures.data ?? [],
    problem: rights.error ?? pending.error ?? failures.error ?? accounts.error,
    isRead: rights.data !== undefined && ![pending, failures, accounts].some(({ isLoading }) => isLoading),
  };
}

interface Approval {
  readonly id: string;
  readonly agent_name: string;
  readonly question: object | null;
  readonly tool: string | null;
  readonly label: string;
  readonly requested_at: string;
}

/** The newest decisions, and where the others are. */
function Decisions({ items, total }: { readonly items: readonly Approval[]; readonly total: number }) {
  const [text, orgId] = [useHomeText(), useOrgId()];
  const shown = items.slice(0, MOST_DECISIONS);
  return (
    <>
      {shown.map((approval) => (
        <Line
          key={approval.id}
          link={<ApprovalLink approval={approval} />}
          badge={<Badge tone="warn">{text.decision}</Badge>}
          time={approval.requested_at}
        />
      ))}
      {total > shown.length && (
        <li className={classes.line}>
          <Link to="/o/$orgId/inbox" params={{ orgId }} className={classes.title}>
            {text.moreDecisions(total - shown.length)}
          </Link>
        </li>
      )}
    </>
  );
}

function ApprovalLink({ approval: { id, agent_name: agent, tool, label, question } }: { readonly approval: Approval }) {
  const [text, orgId] = [useHomeText(), useOrgId()];
  const call =
    tool === null ? text.waits(showInvisible(label)) : text.asked(showInvisible(agent), showInvisible(label));
  const words = question === null ? call : showInvisible(label);
  return (
    <Link to="/o/$orgId/inbox" params={{ orgId }} search={{ id }} className={classes.title}>
      {words}
    </Link>
  );
}

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
      {time !== undefined && <span className="soft nowrap">{timeFromNow(time)}</span>}
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
