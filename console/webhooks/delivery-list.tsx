import type { UseMutationResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { dateAndTime, timeFromNow } from '../core/text/formats.ts';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { Badge, type Column, Loaded, Pager, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Delivery, type DeliverySource, useDeliveries, useRedeliver } from './queries.ts';
import { useWebhooksText, type WebhooksText } from './text.ts';
import classes from './webhooks.module.css';

/** What an address or a destination was told, newest first; each can be delivered again. */
export function DeliveryList({ source }: { readonly source: DeliverySource }) {
  const text = useWebhooksText();
  const deliveries = useDeliveries(source);
  return (
    <Section title={text.deliveries}>
      <Loaded query={deliveries}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes.soft}>{text.none}</p>
          ) : (
            <>
              <Table
                label={text.deliveries}
                columns={columnsOf(text, source)}
                rows={items}
                keyOf={(delivery) => delivery.id}
              />
              <Pager pages={deliveries} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsOf(text: WebhooksText, source: DeliverySource): readonly Column<Delivery>[] {
  return [
    { key: 'when', title: text.when, cell: ({ created_at: at }) => timeFromNow(at) },
    ...(source.kind === 'destinations'
      ? [{ key: 'of', title: text.of, cell: (delivery: Delivery) => <Subject delivery={delivery} /> }]
      : []),
    {
      key: 'state',
      title: text.state,
      cell: (delivery) => <DeliveryState {...delivery} />,
    },
    { key: 'attempts', title: text.attempts, isNumber: true, cell: (delivery) => <Attempts {...delivery} /> },
    { key: 'answer', title: text.answer, isNumber: true, cell: ({ last_status: status }) => status ?? '–' },
    { key: 'again', title: text.action, isActions: true, cell: ({ id }) => <Redeliver source={source} id={id} /> },
  ];
}

/** What a delivery tells of, as a link to its run. */
function Subject({ delivery: { event, run_id: runId } }: { readonly delivery: Delivery }) {
  const [text, orgId] = [useWebhooksText(), useOrgId()];
  if (runId === null) return text.events[event];
  return (
    <Link to="/o/$orgId/runs" params={{ orgId }} search={{ id: runId }}>
      {text.events[event]}
    </Link>
  );
}

function Redeliver({ source, id }: { readonly source: DeliverySource; readonly id: string }) {
  const text = useWebhooksText();
  const access = source.kind === 'destinations' ? 'integrations.manage' : 'schedules.manage';
  return <AgainButton again={useRedeliver(source)} id={id} access={access} label={text.again} begun={text.begun} />;
}

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

/** How often a delivery was tried; opened, when each attempt was and what came of it. */
export function Attempts({ attempts, attempt_log: log }: Pick<Delivery, 'attempts' | 'attempt_log'>): ReactNode {
  const text = useWebhooksText();
  if (log.length === 0) return attempts;
  return (
    <details>
      <summary>{attempts}</summary>
      <ol className={classes.attempts}>
        {log.map(({ at, status, error }, nth) => (
          <li key={`${at} ${nth}`}>
            {dateAndTime(at)}: {error === null ? text.accepted : showInvisible(error)}
            {status !== null && ` (${status})`}
          </li>
        ))}
      </ol>
    </details>
  );
}

interface AgainButtonProps {
  /** Sends the delivery of an id again. */
  readonly again: UseMutationResult<unknown, Error, string>;
  readonly id: string;
  /** The right that it takes. */
  readonly access: Parameters<typeof useRefusal>[0];
  readonly label: string;
  /** Said once it is queued. */
  readonly begun: string;
}

/** Sends a delivery again. */
export function AgainButton({ again, id, access, label, begun }: AgainButtonProps): ReactNode {
  const refusal = useRefusal(access);
  return (
    <ActionButton reason={refusal} done={begun} action={async () => again.mutateAsync(id)}>
      {label}
    </ActionButton>
  );
}
