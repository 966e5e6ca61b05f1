import { RefreshCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/section.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './marketplace.module.css';
import { type Index, useIndexes, useRefreshIndexes } from './queries.ts';
import { type MarketplaceText, useMarketplaceText } from './text.ts';

/** The indexes that the operator has added: how each stands, and to have them fetched; nothing where there are none. */
export function IndexesSection(): ReactNode {
  const text = useMarketplaceText();
  const [refusal, toast, refresh] = [useRefusal('marketplace.manage'), useToast(), useRefreshIndexes()];
  const [askedAt, setAskedAt] = useState<number>();
  const indexes = useIndexes(askedAt);
  if (indexes.data?.length === 0) return null;
  const isFetching = askedAt !== undefined && isAwaited(indexes.data ?? [], askedAt);
  const ask = () => {
    // By the clock of the server, which the times of the answer are of.
    refresh()
      .then(setAskedAt)
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'));
  };
  return (
    <div className={classes.indexes}>
      <Section
        title={text.indexes}
        lead={text.indexesLead}
        actions={
          <Button reason={refusal} busy={isFetching} onClick={ask}>
            <RefreshCw aria-hidden />
            {isFetching ? text.fetching : text.refresh}
          </Button>
        }
      >
        <Loaded query={indexes}>
          {(rows) => (
            <Table label={text.indexes} columns={columnsOf(text)} rows={rows} keyOf={({ source }) => source} />
          )}
        </Loaded>
      </Section>
    </div>
  );
}

/** Returns whether one of some indexes has not been fetched since a time. */
function isAwaited(indexes: readonly Index[], since: number): boolean {
  return indexes.some(({ checked_at: at }) => at === null || Date.parse(at) < since);
}

function columnsOf(text: MarketplaceText): readonly Column<Index>[] {
  return [
    { key: 'source', title: text.address, cell: (index) => <Source index={index} /> },
    { key: 'items', title: text.items, isNumber: true, cell: ({ item_count: items }) => String(items) },
    {
      key: 'fetched',
      title: text.fetched,
      cell: ({ fetched_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
    {
      key: 'state',
      title: text.state,
      cell: ({ error, checked_at: at }) =>
        error !== null ? (
          <Badge tone="danger">{text.failed}</Badge>
        ) : (
          <Badge tone={at === null ? 'calm' : 'good'}>{at === null ? text.notYet : text.works}</Badge>
        ),
    },
  ];
}

function Source({ index: { source, error, refused, hidden } }: { readonly index: Index }): ReactNode {
  const text = useMarketplaceText();
  return (
    <span className={classes.name}>
      <span className={classes.address}>{showInvisible(source)}</span>
      {error !== null && <span className={classes.problem}>{showInvisible(error)}</span>}
      {refused.map(({ item, reason }) => (
        <span key={item} className={classes.soft}>
          {text.refused(showInvisible(item), showInvisible(reason))}
        </span>
      ))}
      {hidden.length > 0 && (
        <span className={classes.soft}>{text.hidden(hidden.map(({ slug }) => showInvisible(slug)).join(', '))}</span>
      )}
    </span>
  );
}
