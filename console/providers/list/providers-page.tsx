import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plug, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useText } from '../../core/text/text-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SearchField } from '../../ui/controls/search-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Empty } from '../../ui/page/empty.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Page } from '../../ui/page/page.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { AccountStatus } from '../account-status.tsx';
import { TestButton } from '../test-button.tsx';
import { AddAccount } from '../add/add-account.tsx';
import classes from '../providers.module.css';
import { type Provider, useCatalog, useProviders } from '../queries.ts';
import { useProvidersText } from '../text.ts';
import { useWhyFixed } from '../use-why-fixed.ts';

/** The accounts at providers of models, with what state each is in. */
export function ProvidersPage() {
  const text = useProvidersText();
  const [providers, refusal] = [useProviders(), useRefusal('providers.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = providers.data !== undefined && providers.data.length > 0;
  return (
    <Page title={text.title} lead={text.lead} actions={hasSome ? add : undefined}>
      <Loaded query={providers}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={<Plug />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <AccountList accounts={rows} />
          )
        }
      </Loaded>
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add}>
        <AddAccount onDone={() => setIsAdding(false)} />
      </Dialog>
    </Page>
  );
}

/** From how many accounts on one looks for one by its name. */
const MANY = 8;

function AccountList({ accounts }: { readonly accounts: readonly Provider[] }) {
  const [text, common] = [useProvidersText(), useText().common];
  const navigate = useNavigate({ from: '/o/$orgId/providers' });
  const { q = '' } = useSearch({ from: '/o/$orgId/providers' });
  const [columns, typeOf] = [useColumns(), useTypeNames()];
  const wanted = q.toLowerCase();
  const shown = accounts.filter((account) =>
    `${account.name}\n${typeOf(account)}\n${account.model_name ?? ''}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {(accounts.length >= MANY || q !== '') && (
        <SearchField
          label={text.filter}
          value={q}
          status={shown.length === accounts.length ? undefined : common.of(shown.length, accounts.length)}
          onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
        />
      )}
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columns} rows={shown} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function useColumns(): readonly Column<Provider>[] {
  const [text, typeOf] = [useProvidersText(), useTypeNames()];
  const whyFixed = useWhyFixed();
  return [
    { key: 'name', title: text.accountColumn, cell: (account) => <AccountName account={account} /> },
    { key: 'type', title: text.type, cell: (account) => showInvisible(typeOf(account)) },
    {
      key: 'model',
      title: text.model,
      cell: ({ model_name: model }) =>
        model === null ? (
          <span className={classes.soft}>{text.defaultModel}</span>
        ) : (
          <span className={classes.model}>{showInvisible(model)}</span>
        ),
    },
    { key: 'status', title: text.state, cell: (account) => <StateCell account={account} /> },
    {
      key: 'used',
      title: text.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
    {
      key: 'test',
      title: text.test.test,
      isActions: true,
      cell: (account) => <TestButton id={account.id} reason={whyFixed(account)} />,
    },
  ];
}

function AccountName({ account: { id, name, shared } }: { readonly account: Provider }) {
  const [text, orgId] = [useProvidersText(), useOrgId()];
  return (
    <span className={classes.name}>
      <Link to="/o/$orgId/providers/$providerId" params={{ orgId, providerId: id }} className={classes.link}>
        {showInvisible(name)}
      </Link>
      <span className={classes.soft}>{shared ? text.shared : text.personal}</span>
    </span>
  );
}

function StateCell({ account }: { readonly account: Provider }) {
  const [text, orgId] = [useProvidersText(), useOrgId()];
  const { id, disabled_reason: reason, auth_type: authType } = account;
  return (
    <span className={classes.name}>
      <AccountStatus account={account} />
      {reason !== null && (
        <>
          <span className={classes.soft}>{showInvisible(reason)}</span>
          <Link to="/o/$orgId/providers/$providerId" params={{ orgId, providerId: id }}>
            {authType === 'oauth' ? text.signInAgain : text.pasteKey}
          </Link>
        </>
      )}
    </span>
  );
}

/** Returns what names the provider of an account: the catalog's name for it, its key until that is known. */
function useTypeNames(): (account: Provider) => string {
  const { data = [] } = useCatalog();
  const names = new Map(data.map(({ key, name }) => [key, name]));
  return ({ provider_type: type }) => names.get(type) ?? type;
}
