import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Approval, ApprovalContent } from '../../approvals/index.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { buttonClass } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { type Fact, Facts } from '../../ui/page/facts.tsx';
import { showHidden, showInvisible } from '../../ui/visible.ts';
import { asks, TONES } from './approval-rows.tsx';
import classes from '../inbox-page.module.css';
import { type InboxText, useInboxText } from '../text.ts';
import { TimeLeft } from './time-left.tsx';

interface ApprovalDetailsProps {
  readonly approval: Approval;
  /** The buttons that decide, of one that waits. */
  readonly actions?: ReactNode;
}

/** What one decision is about: who asks, with which arguments, for how long, and what became of it. */
export function ApprovalDetails({ approval, actions }: ApprovalDetailsProps) {
  const [text, orgId] = [useInboxText(), useOrgId()];
  const { label, chat_id: chatId } = approval;
  return (
    <section className={classes.details} aria-label={showInvisible(label)}>
      <h2 className={classes.title}>{showHidden(label)}</h2>
      <p className={classes.asks}>{asks(approval, text)}</p>
      <div className={classes.actions}>
        {actions}
        <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className={buttonClass()}>
          <MessageSquare aria-hidden />
          {text.openChat}
        </Link>
      </div>
      <Facts facts={factsOf(approval, text)} />
      <ApprovalContent approval={approval} />
    </section>
  );
}

/** Returns when it was asked, and how long it waits or what became of it. */
function factsOf(approval: Approval, text: InboxText): readonly Fact[] {
  const { status, requested_at: asked, expires_at: until, decided_at: at, decider_name: who, note } = approval;
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
    ...(note === null ? [] : [{ label: text.note, value: showInvisible(note) }]),
  ];
}
