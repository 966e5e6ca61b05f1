import { Link, useSearch } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import type { ReactNode } from 'react';
import { showHidden } from '../../domain/core/visible.ts';
import { type Approval, ApprovalContent, gistOf, QuestionForm, QuestionText } from '../approvals/index.ts';
import { useNow } from '../core/clock.ts';
import { useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import { formatDuration, timeFromNow } from '../core/text/formats.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { Badge, type Fact, Facts } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './inbox-page.module.css';
import { type InboxText, useInboxText } from './text.ts';

interface ApprovalRowsProps {
  readonly approvals: readonly Approval[];
  /** The one that is shown beside the list. */
  readonly current: string | undefined;
  /** Those that are selected; absent in a list of which nothing is. */
  readonly selection?: ReadonlySet<string>;
  readonly onToggle?: (id: string) => void;
}

const TONES = {
  pending: 'warn',
  approved: 'good',
  answered: 'good',
  denied: 'danger',
  expired: 'calm',
  cancelled: 'calm',
  outdated: 'calm',
} as const;

/** Decisions, one a line: what is asked, by whom, and how long it waits or what became of it. */
export function ApprovalRows({ approvals, current, selection, onToggle }: ApprovalRowsProps) {
  const [text, orgId] = [useInboxText(), useOrgId()];
  const search = useSearch({ from: '/o/$orgId/inbox' });
  return (
    <ul className={classes.rows} aria-label={text.list}>
      {approvals.map((approval) => (
        <li key={approval.id} className={classes.row} data-current={approval.id === current || undefined}>
          {selection !== undefined && (
            <label className={classes.tick}>
              {approval.question === null && (
                <input
                  type="checkbox"
                  aria-label={text.select(showInvisible(approval.label))}
                  checked={selection.has(approval.id)}
                  onChange={() => onToggle?.(approval.id)}
                />
              )}
            </label>
          )}
          <Link
            from="/o/$orgId/inbox"
            to="/o/$orgId/inbox"
            params={{ orgId }}
            search={{ ...search, id: approval.id }}
            replace
            className={classes.what}
            aria-current={approval.id === current || undefined}
          >
            <span className={classes.label}>{showHidden(approval.label)}</span>
            {approval.question === null && <span className={`truncate soft ${classes.gist}`}>{gistOf(approval)}</span>}
            <span className={classes.asks}>{asks(approval, text)}</span>
          </Link>
          <State approval={approval} />
        </li>
      ))}
    </ul>
  );
}

interface StateProps {
  readonly approval: Approval;
}

function State({ approval: { status, requested_at: asked, expires_at: until, decided_at: at } }: StateProps) {
  const text = useInboxText();
  if (status === 'pending') return <Waiting asked={asked} until={until} />;
  return (
    <span className={classes.state}>
      <Badge tone={TONES[status]}>{text.status[status]}</Badge>
      <span className={classes.time}>{at !== null && timeFromNow(at)}</span>
    </span>
  );
}

/** Says since when a decision is waited for or, in its last day, for how much longer. */
function Waiting({ asked, until }: { readonly asked: string; readonly until: string }) {
  const now = useNow();
  if (Date.parse(until) - now < DAY_MS) return <TimeLeft until={until} />;
  return (
    <time className={classes.time} dateTime={asked}>
      {timeFromNow(asked, now)}
    </time>
  );
}

const DAY_MS = 86_400_000;
const SOON_SECONDS = 3_600;

/** How long a decision is still waited for: it counts down once that is less than an hour. */
function TimeLeft({ until }: { readonly until: string }) {
  const [text, now] = [useInboxText(), useNow()];
  const seconds = (Date.parse(until) - now) / 1000;
  if (seconds <= 0) return <span className={classes.soon}>{text.timeUp}</span>;
  if (seconds < SOON_SECONDS)
    return <span className={classes.soon}>{text.timeLeft(formatDuration(Math.ceil(seconds)))}</span>;
  return (
    <time className={classes.time} dateTime={until}>
      {timeFromNow(until, now)}
    </time>
  );
}

/** Returns who asks for what, in words. */
function asks({ agent_name: agent, tool, question }: Approval, text: InboxText): string {
  const name = showInvisible(agent);
  if (question !== null) return text.asksQuestion(name);
  return tool === null ? text.asksStep(name) : text.asks(name, showInvisible(tool));
}

interface ApprovalDetailsProps {
  readonly approval: Approval;
  /** The buttons that decide, of one that waits. */
  readonly actions?: ReactNode;
}

/** What one decision is about: who asks, with which arguments, for how long, and what became of it. */
export function ApprovalDetails({ approval, actions }: ApprovalDetailsProps) {
  const [text, orgId] = [useInboxText(), useOrgId()];
  const { label, chat_id: chatId, question, escalated_to: escalatedTo, status } = approval;
  const { data: user } = useCurrentUser();
  return (
    <section className={classes.details} aria-label={showInvisible(label)}>
      <h2 className={classes.title}>{showHidden(label)}</h2>
      <p className={classes.asks}>{asks(approval, text)}</p>
      <div className="wrap">
        {actions}
        {/* Who is asked a question, or to whom it is escalated, may not be able to read its chat. */}
        {((question ?? escalatedTo) === null || approval.user_id === user?.id) && (
          <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className={buttonClass()}>
            <MessageSquare aria-hidden />
            {text.openChat}
          </Link>
        )}
      </div>
      <Facts facts={factsOf(approval, text)} />
      {question === null ? (
        <ApprovalContent approval={approval} />
      ) : status === 'pending' ? (
        <QuestionForm approval={approval} question={question} />
      ) : (
        <QuestionText question={question} />
      )}
    </section>
  );
}

/** Returns when it was asked, and how long it waits or what became of it. */
function factsOf(approval: Approval, text: InboxText): readonly Fact[] {
  const { status, requested_at: asked, expires_at: until, decided_at: at, decider_name: who, note, answer } = approval;
  const { quorum, remind_at: remindAt, escalate_at: escalateAt, escalated_at: escalatedAt } = approval;
  const when = timeFromNow(at ?? until);
  const outcome = (
    <>
      <Badge tone={TONES[status]}>{text.status[status]}</Badge>{' '}
      {who === null ? when : text.by(showInvisible(who), when)}
    </>
  );
  return [
    { label: text.asked, value: timeFromNow(asked) },
    status === 'pending'
      ? { label: text.answerBy, value: <TimeLeft until={until} /> }
      : { label: text.outcome, value: outcome },
    ...(quorum === 1 ? [] : [{ label: text.votes, value: votesOf(approval, text) }]),
    ...(remindAt === null ? [] : [{ label: text.reminder, value: timeFromNow(remindAt) }]),
    ...(escalateAt === null ? [] : [{ label: text.escalation, value: timeFromNow(escalateAt) }]),
    ...(escalatedAt === null
      ? []
      : [{ label: text.escalated, value: text.escalatedTo(deputyOf(approval, text), timeFromNow(escalatedAt)) }]),
    ...(answer === null ? [] : [{ label: text.answer, value: showHidden(answer) }]),
    ...(note === null ? [] : [{ label: text.note, value: showInvisible(note) }]),
  ];
}

function deputyOf({ escalated_to: to }: Approval, text: InboxText): string {
  if (to?.role != null) return text.deputies[to.role];
  return to?.user_name == null ? text.somebody : showInvisible(to.user_name);
}

function votesOf({ quorum, votes }: Approval, text: InboxText): string {
  const names = votes.flatMap(({ approve, user_name: name }) =>
    approve ? [showInvisible(name ?? text.somebody)] : [],
  );
  return text.votesOf(names.length, quorum, names.join(', '));
}
