import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './destinations.module.css';
import { type ReportedRun, type RunDelivery, useResend } from './queries.ts';
import { type DestinationsText, useDestinationsText } from './text.ts';

const TONES = { pending: 'warn', delivered: 'good', failed: 'danger' } as const;

interface RunDeliveriesProps {
  readonly run: ReportedRun;
  readonly deliveries: readonly RunDelivery[];
}

/** Where a run is reported, how often that was tried, and what sends a report again; nothing without any. */
export function RunDeliveries({ run, deliveries }: RunDeliveriesProps): ReactNode {
  const text = useDestinationsText();
  if (deliveries.length === 0) return null;
  return (
    <section>
      <h3>{text.deliveries}</h3>
      <Table label={text.deliveries} columns={columnsOf(text, run)} rows={deliveries} keyOf={({ id }) => id} />
    </section>
  );
}

function columnsOf(text: DestinationsText, run: ReportedRun): readonly Column<RunDelivery>[] {
  return [
    { key: 'to', title: text.destination, cell: ({ destination_name: name }) => showInvisible(name) },
    {
      key: 'state',
      title: text.state,
      cell: ({ status, error, next_attempt_at: next }) => (
        <span className={classes.state}>
          <Badge tone={TONES[status]}>{text.statuses[status]}</Badge>
          {next !== null && <span className={classes.soft}>{text.next(timeFromNow(next))}</span>}
          {error !== null && <span className={classes.soft}>{showInvisible(error)}</span>}
        </span>
      ),
    },
    { key: 'attempts', title: text.attempts, isNumber: true, cell: ({ attempts }) => attempts },
    { key: 'again', title: text.action, isActions: true, cell: ({ id }) => <AgainButton run={run} id={id} /> },
  ];
}

function AgainButton({ run, id }: { readonly run: ReportedRun; readonly id: string }): ReactNode {
  const text = useDestinationsText();
  const [again, toast, refusal] = [useResend(run), useToast(), useRefusal('schedules.manage')];
  return (
    <Button
      reason={refusal}
      busy={again.isPending}
      onClick={() =>
        again.mutate(id, { onSuccess: () => toast(text.begun), onError: (error) => toast(error.message, 'failed') })
      }
    >
      {text.again}
    </Button>
  );
}
