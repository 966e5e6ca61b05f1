import { Link } from '@tanstack/react-router';
import { ListOrdered } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { ListPage } from '../ui/list-page/list-page.tsx';
import { Badge, type Column, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './chains.module.css';
import { type Chain, type KnownProviders, useChains, useKnownProviders } from './queries.ts';
import { useChainsText } from './text.ts';

/** The chains of the organization, with the order of their steps. */
export function ChainsPage(): ReactNode {
  const [text, known] = [useChainsText(), useKnownProviders()];
  return (
    <ListPage
      text={text}
      icon={<ListOrdered />}
      query={useChains()}
      add={{ right: 'providers.manage', to: '/o/$orgId/provider-chains/new' }}
    >
      {(rows) => <Table label={text.title} columns={columnsOf(text, known)} rows={rows} keyOf={({ id }) => id} />}
    </ListPage>
  );
}

function columnsOf(text: ReturnType<typeof useChainsText>, known: KnownProviders): readonly Column<Chain>[] {
  return [
    { key: 'name', title: text.name, cell: (chain) => <ChainName chain={chain} /> },
    { key: 'steps', title: text.steps, cell: (chain) => <Order chain={chain} known={known} /> },
    { key: 'changed', title: text.changed, isNumber: true, cell: ({ updated_at: at }) => timeFromNow(at) },
  ];
}

function ChainName({ chain: { id, name, is_default: isDefault } }: { readonly chain: Chain }): ReactNode {
  const [text, orgId] = [useChainsText(), useOrgId()];
  return (
    <span className="row gap-1-2 min-w-0">
      <Link to="/o/$orgId/provider-chains/$chainId" params={{ orgId, chainId: id }} className="link">
        {showInvisible(name)}
      </Link>
      {isDefault && <Badge tone="good">{text.default}</Badge>}
    </span>
  );
}

function Order({ chain: { steps }, known }: { readonly chain: Chain; readonly known: KnownProviders }): ReactNode {
  const text = useChainsText();
  const { accounts, nameOf } = known;
  const has = (type: string) => accounts === undefined || accounts.some((account) => account.provider_type === type);
  const missing = steps.filter(({ provider_type: type }) => !has(type)).length;
  return (
    <span>
      <ol className={`wrap gap-1 ${classes.order}`}>
        {steps.map(({ provider_type: type, model_name: model }, at) => (
          <li key={at} className={has(type) ? undefined : 'warn'}>
            {showInvisible(model === null ? nameOf(type) : `${nameOf(type)} (${model})`)}
          </li>
        ))}
      </ol>
      {missing > 0 && <span className="measure soft">{text.withoutAccount(missing)}</span>}
    </span>
  );
}
