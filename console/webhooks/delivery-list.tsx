import { useRefusal } from '../core/permissions.ts';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { Section } from '../ui/page/section.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Delivery, type DeliverySource, useDeliveries, useRedeliver } from './queries.ts';
import classes from './webhooks.module.css';
import { useWebhooksText, type WebhooksText } from './text.ts';

const TONES = { pending: 'warn', delivered: 'good', failed: 'danger' } as const;

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
      cell: ({ status, error, next_attempt_at: next }) => (
        <span className={classes.state}>
          <Badge tone={TONES[status]}>{text.status[status]}</Badge>
          {next !== null && <span className={classes.soft}>{text.next(timeFromNow(next))}</span>}
          {error !== null && <span className={classes.soft}>{showInvisible(error)}</span>}
        </span>
      ),
    },
    { key: 'attempts', title: text.attempts, isNumber: true, cell: ({ attempts }) => attempts },
    { key: 'answer', title: text.answer, isNumber: true, cell: ({ last_status: status }) => status ?? '–' },
    { key: 'again', title: text.action, isActions: true, cell: ({ id }) => <AgainButton source={source} id={id} /> },
  ];
}

function AgainButton({ source, id }: { readonly source: DeliverySource; readonly id: string }) {
  const text = useWebhooksText();
  const [again, toast, refusal] = [useRedeliver(source), useToast(), useRefusal('schedules.manage')];
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
