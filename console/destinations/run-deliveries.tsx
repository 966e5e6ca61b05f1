import type { ReactNode } from 'react';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { AgainButton, DeliveryState } from '../webhooks/index.ts';
import { type ReportedRun, type RunDelivery, useResend } from './queries.ts';
import { type DestinationsText, useDestinationsText } from './text.ts';

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
      cell: (delivery) => <DeliveryState {...delivery} />,
    },
    { key: 'attempts', title: text.attempts, isNumber: true, cell: ({ attempts }) => attempts },
    { key: 'again', title: text.action, isActions: true, cell: ({ id }) => <Resend run={run} id={id} /> },
  ];
}

function Resend({ run, id }: { readonly run: ReportedRun; readonly id: string }): ReactNode {
  const text = useDestinationsText();
  return <AgainButton again={useResend(run)} id={id} label={text.again} begun={text.begun} />;
}
