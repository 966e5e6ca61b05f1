import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Store } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { SelectField } from '../ui/fields/select-field.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { IndexesSection } from './indexes-section.tsx';
import { ITEM_KINDS, type ItemKind } from './item-kinds.ts';
import classes from './marketplace.module.css';
import { type Item, useItems } from './queries.ts';
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
        <span className={classes.name}>
          <Link to="/o/$orgId/marketplace/$slug" params={{ orgId, slug }}>
            {showInvisible(name)}
          </Link>
          <span className={classes.soft}>{showInvisible(summary)}</span>
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
