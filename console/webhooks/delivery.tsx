import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { Delivery } from './queries.ts';
import { useWebhooksText } from './text.ts';
import classes from './webhooks.module.css';

const TONES = { pending: 'warn', delivered: 'good', failed: 'danger' } as const;

/** How far a delivery is: its status, its next attempt, and what went wrong. */
export function DeliveryState({
  status,
  error,
  next_attempt_at: next,
}: Pick<Delivery, 'status' | 'error' | 'next_attempt_at'>): ReactNode {
  const text = useWebhooksText();
  return (
    <span className={classes.state}>
      <Badge tone={TONES[status]}>{text.status[status]}</Badge>
      {next !== null && <span className={classes.soft}>{text.next(timeFromNow(next))}</span>}
      {error !== null && <span className={classes.soft}>{showInvisible(error)}</span>}
    </span>
  );
}

interface AgainButtonProps {
  /** Sends the delivery of an id again. */
  readonly again: UseMutationResult<unknown, Error, string>;
  readonly id: string;
  readonly label: string;
  /** Said once it is queued. */
  readonly begun: string;
}

/** Sends a delivery again. */
export function AgainButton({ again, id, label, begun }: AgainButtonProps): ReactNode {
  const [toast, refusal] = [useToast(), useRefusal('schedules.manage')];
  return (
    <Button
      reason={refusal}
      busy={again.isPending}
      onClick={() =>
        again.mutate(id, { onSuccess: () => toast(begun), onError: (error) => toast(error.message, 'failed') })
      }
    >
      {label}
    </Button>
  );
}
