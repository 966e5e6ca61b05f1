import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { fullTime } from '../../core/text/times.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { buttonClass } from '../../ui/controls/button.tsx';
import { Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Trace } from '../rows/trace-step.ts';
import { useTracesText } from '../text.ts';
import classes from './details.module.css';

/** What is known of the turn itself, while no step is open. */
export function TurnDetails({ trace }: { readonly trace: Trace }): ReactNode {
  const text = useTracesText();
  const orgId = useOrgId();
  const { turn } = trace;
  const { parent_chat_id: chatId, parent_turn_id: turnId } = turn;
  return (
    <div className={classes.details}>
      <Facts
        facts={[
          { label: text.facts.question, value: showInvisible(turn.question ?? text.noQuestion) },
          ...(turn.agent_name === null ? [] : [{ label: text.facts.agent, value: showInvisible(turn.agent_name) }]),
          { label: text.facts.asked, value: fullTime(turn.created_at) },
          ...(turn.error === null ? [] : [{ label: text.facts.reason, value: showInvisible(turn.error) }]),
        ]}
      />
      {chatId !== null && turnId !== null && (
        <p className={classes.links}>
          <Link to="/o/$orgId/chats/$chatId/turns/$turnId" params={{ orgId, chatId, turnId }} className={buttonClass()}>
            {text.above}
          </Link>
        </p>
      )}
      <p className={classes.pick}>{text.pick}</p>
    </div>
  );
}
