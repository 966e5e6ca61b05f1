import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNow } from '../../core/clock.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatDuration } from '../../core/text/numbers.ts';
import { timeOfDay } from '../../core/text/times.ts';
import classes from '../chat-page.module.css';
import { useChatsText } from '../text.ts';
import type { Phase } from './phase.ts';

/** Says above the composer what the running turn waits for, until when, and where that can be changed. */
export function WaitNote({ phase }: { readonly phase: Phase }): ReactNode {
  const text = useChatsText().waiting;
  const orgId = useOrgId();
  if (phase.kind === 'provider')
    return (
      <p className={classes.note}>
        {phase.until === null ? text.providerSoon : <Until until={phase.until} />}
        <Link to="/o/$orgId/providers" params={{ orgId }}>
          {text.accounts}
        </Link>
      </p>
    );
  if (phase.kind === 'place') return <p className={classes.note}>{text.place}</p>;
  if (phase.kind !== 'approval') return null;
  return (
    <p className={classes.note}>
      {text.approval}
      <Link to="/o/$orgId/inbox" params={{ orgId }}>
        {text.inbox}
      </Link>
    </p>
  );
}

function Until({ until }: { readonly until: string }): ReactNode {
  const text = useChatsText().waiting;
  const left = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1_000));
  return text.provider(timeOfDay(until), formatDuration(left));
}
