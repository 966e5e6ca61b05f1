import { timeFromNow } from '../core/text/times.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { Section } from '../ui/page/section.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { AgainButton, DeliveryState } from './delivery.tsx';
import { type Delivery, type DeliverySource, useDeliveries, useRedeliver } from './queries.ts';
import classes from './webhooks.module.css';
import { useWebhooksText, type WebhooksText } from './text.ts';

/** What an address was told of runs, newest first; each can be delivered again. */
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
    {
      key: 'state',
      title: text.state,
      cell: (delivery) => <DeliveryState {...delivery} />,
    },
    { key: 'attempts', title: text.attempts, isNumber: true, cell: ({ attempts }) => attempts },
    { key: 'answer', title: text.answer, isNumber: true, cell: ({ last_status: status }) => status ?? '–' },
    { key: 'again', title: text.action, isActions: true, cell: ({ id }) => <Redeliver source={source} id={id} /> },
  ];
}

function Redeliver({ source, id }: { readonly source: DeliverySource; readonly id: string }) {
  const text = useWebhooksText();
  return <AgainButton again={useRedeliver(source)} id={id} label={text.again} begun={text.begun} />;
}
