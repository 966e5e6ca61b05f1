import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Store } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './marketplace.module.css';
import { type Item, useItems } from './queries.ts';
import { type MarketplaceText, useMarketplaceText } from './text.ts';

/** What can be installed. */
export function ItemsPage(): ReactNode {
  const text = useMarketplaceText();
  const [orgId, navigate, items] = [useOrgId(), useNavigate({ from: '/o/$orgId/marketplace' }), useItems()];
  const { q = '' } = useSearch({ from: '/o/$orgId/marketplace' });
  const isWanted = ({ name, summary, tags }: Item) =>
    `${name}\n${summary}\n${tags.join('\n')}`.toLowerCase().includes(q.toLowerCase());
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={items}>
        {({ items: all }) =>
          all.length === 0 ? (
            <Empty icon={<Store />} title={text.empty}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <SearchField
                label={text.filter}
                value={q}
                onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
              />
              <Table
                label={text.title}
                columns={columnsOf(text, orgId)}
                rows={all.filter(isWanted)}
                keyOf={({ slug }) => slug}
              />
            </>
          )
        }
      </Loaded>
    </Page>
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
