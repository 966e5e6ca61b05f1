import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { RefreshCw, Store } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, type Column, Empty, Loaded, Page, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ITEM_KINDS, type ItemKind } from './item-kinds.ts';
import classes from './marketplace.module.css';
import { type Index, type Item, useIndexes, useItems, useRefreshIndexes } from './queries.ts';
import { type MarketplaceText, useMarketplaceText } from './text.ts';

/** What can be installed. */
export function ItemsPage(): ReactNode {
  const text = useMarketplaceText();
  const items = useItems();
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={items}>
        {({ items: all }) =>
          all.length === 0 ? (
            <Empty icon={<Store />} title={text.empty}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <ItemList items={all} />
          )
        }
      </Loaded>
      <IndexesSection />
    </Page>
  );
}

/** The indexes that the operator has added: how each stands, and to have them fetched; nothing where there are none. */
function IndexesSection(): ReactNode {
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
          <Button icon={RefreshCw} reason={refusal} busy={isFetching} onClick={ask}>
            {isFetching ? text.fetching : text.refresh}
          </Button>
        }
      >
        <Loaded query={indexes}>
          {(rows) => (
            <Table label={text.indexes} columns={indexColumns(text)} rows={rows} keyOf={({ source }) => source} />
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

function indexColumns(text: MarketplaceText): readonly Column<Index>[] {
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
    <span className="stack gap-1">
      <span className={classes.address}>{showInvisible(source)}</span>
      {error !== null && <span className="danger small wrap-anywhere">{showInvisible(error)}</span>}
      {refused.map(({ item, reason }) => (
        <span key={item} className="soft font-normal wrap-anywhere">
          {text.refused(showInvisible(item), showInvisible(reason))}
        </span>
      ))}
      {hidden.length > 0 && (
        <span className="soft font-normal wrap-anywhere">
          {text.hidden(hidden.map(({ slug }) => showInvisible(slug)).join(', '))}
        </span>
      )}
    </span>
  );
}

function ItemList({ items }: { readonly items: readonly Item[] }): ReactNode {
  const [text, common] = [useMarketplaceText(), useText().common];
  const [orgId, navigate] = [useOrgId(), useNavigate({ from: '/o/$orgId/marketplace' })];
  const { q = '', kind } = useSearch({ from: '/o/$orgId/marketplace' });
  const wanted = q.toLowerCase();
  const shown = items.filter(
    (item) =>
      (kind === undefined || item.kind === kind) &&
      `${item.name}\n${item.summary}\n${item.tags.join('\n')}`.toLowerCase().includes(wanted),
  );
  const set = (words: string, chosen: ItemKind | undefined) =>
    void navigate({
      search: { ...(words !== '' && { q: words }), ...(chosen !== undefined && { kind: chosen }) },
      replace: true,
    });
  return (
    <>
      <div className={classes.filters}>
        <SearchField
          label={text.filter}
          value={q}
          status={shown.length === items.length ? undefined : common.of(shown.length, items.length)}
          onChange={(words) => set(words, kind)}
        />
        <SelectField
          label={text.kind}
          name="kind"
          placeholder={text.allKinds}
          options={[
            { value: '', label: text.allKinds },
            ...ITEM_KINDS.map((value) => ({ value, label: text.kinds[value] })),
          ]}
          value={kind ?? ''}
          onValueChange={(value) =>
            set(
              q,
              ITEM_KINDS.find((each) => each === value),
            )
          }
        />
      </div>
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text, orgId)} rows={shown} keyOf={({ slug }) => slug} />
      )}
    </>
  );
}

function columnsOf(text: MarketplaceText, orgId: string): readonly Column<Item>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: ({ slug, name, summary }) => (
        <span className="stack gap-1">
          <Link to="/o/$orgId/marketplace/$slug" params={{ orgId, slug }}>
            {showInvisible(name)}
          </Link>
          <span className="soft font-normal wrap-anywhere">{showInvisible(summary)}</span>
        </span>
      ),
    },
    { key: 'kind', title: text.kind, cell: ({ kind }) => text.kinds[kind] },
    { key: 'version', title: text.version, cell: ({ version }) => showInvisible(version) },
    {
      key: 'state',
      title: text.state,
      cell: ({ installed }) =>
        installed !== null && (
          <Badge tone={installed.can_upgrade ? 'warn' : 'good'}>
            {installed.can_upgrade ? text.upgrade : text.installed}
          </Badge>
        ),
    },
  ];
}
