import { Plug, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { timeFromNow, timeOfDay } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ProviderForm } from './provider-form.tsx';
import classes from './providers-page.module.css';
import { type Provider, useProviders, useTestProvider } from './queries.ts';
import { type ProvidersText, useProvidersText } from './text.ts';

const TONES = { active: 'good', cooling_down: 'warn', disabled: 'danger' } as const;

/** The accounts at providers of models, with what state each is in. */
export function ProvidersPage() {
  const text = useProvidersText();
  const [providers, refusal, toast] = [useProviders(), useRefusal('providers.manage'), useToast()];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = providers.data !== undefined && providers.data.length > 0;
  return (
    <Page title={text.title} actions={hasSome ? add : undefined}>
      <Loaded query={providers}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={<Plug />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <Table label={text.title} columns={columnsOf(text, refusal)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add}>
        <ProviderForm
          onDone={({ name }) => {
            setIsAdding(false);
            toast(text.added(showInvisible(name)));
          }}
        />
      </Dialog>
    </Page>
  );
}

/** `reason` says why accounts cannot be tested; undefined when they can. */
function columnsOf(words: ProvidersText, reason: string | undefined): readonly Column<Provider>[] {
  return [
    {
      key: 'name',
      title: words.name,
      cell: ({ name, shared }) => (
        <span className={classes.name}>
          {showInvisible(name)}
          <span className={classes.soft}>{shared ? words.shared : words.personal}</span>
        </span>
      ),
    },
    { key: 'type', title: words.type, cell: ({ provider_type: type }) => showInvisible(type) },
    { key: 'model', title: words.model, cell: ({ model_name: model }) => showInvisible(model ?? '–') },
    { key: 'status', title: words.state, cell: (row) => <Status account={row} /> },
    {
      key: 'used',
      title: words.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? words.never : timeFromNow(at)),
    },
    { key: 'test', title: words.test, isNumber: true, cell: ({ id }) => <TestButton id={id} reason={reason} /> },
  ];
}

function Status({ account }: { readonly account: Provider }) {
  const words = useProvidersText();
  const { status, cooldown_until: until, disabled_reason: reason } = account;
  return (
    <span className={classes.name}>
      <Badge tone={TONES[status]}>{words.status[status]}</Badge>
      {status === 'cooling_down' && until !== null && (
        <span className={classes.soft}>{words.until(timeOfDay(until))}</span>
      )}
      {reason !== null && <span className={classes.soft}>{reason}</span>}
    </span>
  );
}

function TestButton({ id, reason }: { readonly id: string; readonly reason: string | undefined }) {
  const words = useProvidersText();
  const [test, toast] = [useTestProvider(), useToast()];
  return (
    <Button
      busy={test.isPending}
      reason={reason}
      onClick={() =>
        test.mutate(id, {
          onSuccess: ({ ok, model, latency_ms: ms, error }) => {
            if (ok) toast(words.worked(showInvisible(model ?? ''), ms ?? 0));
            else toast(words.failed(error ?? ''), 'failed');
          },
          onError: (error) => toast(error.message, 'failed'),
        })
      }
    >
      {test.isPending ? words.testing : words.test}
    </Button>
  );
}
