import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { buttonClass } from '../../ui/controls/button.tsx';
import type { TraceStep } from '../rows/trace-step.ts';
import { useTracesText } from '../text.ts';
import classes from './details.module.css';

/** Leads to what stands behind a step: the chat of a sub-agent, the decision that is waited for. */
export function StepLinks({ step }: { readonly step: TraceStep }): ReactNode {
  const text = useTracesText();
  const orgId = useOrgId();
  if (step.kind === 'approval') {
    const search =
      step.status === 'pending' ? { id: step.approval_id } : { view: 'decided' as const, id: step.approval_id };
    return (
      <p className={classes.links}>
        <Link to="/o/$orgId/inbox" params={{ orgId }} search={search} className={buttonClass()}>
          {text.openInbox}
        </Link>
      </p>
    );
  }
  if (step.kind !== 'call' || step.sub_agent === null) return null;
  const { chat_id: chatId, turn_id: turnId } = step.sub_agent;
  return (
    <p className={classes.links}>
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className={buttonClass()}>
        {text.openChat}
      </Link>
      <Link to="/o/$orgId/chats/$chatId/turns/$turnId" params={{ orgId, chatId, turnId }} className={buttonClass()}>
        {text.openTrace}
      </Link>
    </p>
  );
}
