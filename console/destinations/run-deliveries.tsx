import type { ReactNode } from 'react';
import { timeFromNow } from '../core/text/formats.ts';
import { type Column, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { AgainButton, Attempts, DeliveryState } from '../webhooks/index.ts';
import { type ReportedThing, REPORTS_ACCESS, type RunDelivery, useResend } from './queries.ts';
import { type DestinationsText, useDestinationsText } from './text.ts';

interface RunDeliveriesProps {
  readonly of: ReportedThing;
  readonly deliveries: readonly RunDelivery[];
}

/** What was reported where, how often that was tried, and what sends a report again; nothing without any. */
export function RunDeliveries({ of, deliveries }: RunDeliveriesProps): ReactNode {
  const text = useDestinationsText();
  if (deliveries.length === 0) return null;
  return (
    <section>
      <h3>{text.deliveries}</h3>
      <Table label={text.deliveries} columns={columnsOf(text, of)} rows={deliveries} keyOf={({ id }) => id} />
    </section>
  );
}

function columnsOf(text: DestinationsText, of: ReportedThing): readonly Column<RunDelivery>[] {
  return [
    ...(of.kind === 'run'
      ? []
      : [{ key: 'at', title: text.stored, cell: ({ created_at: at }: RunDelivery) => timeFromNow(at) }]),
    { key: 'to', title: text.destination, cell: ({ destination_name: name }) => showInvisible(name) },
    {
      key: 'state',
      title: text.state,
      cell: (delivery) => <DeliveryState {...delivery} />,
    },
    { key: 'attempts', title: text.attempts, isNumber: true, cell: (delivery) => <Attempts {...delivery} /> },
    { key: 'again', title: text.action, isActions: true, cell: ({ id }) => <Resend of={of} id={id} /> },
  ];
}

function Resend({ of, id }: { readonly of: ReportedThing; readonly id: string }): ReactNode {
  const text = useDestinationsText();
  const access = REPORTS_ACCESS[of.kind];
  return <AgainButton again={useResend(of)} id={id} access={access} label={text.again} begun={text.begun} />;
}
