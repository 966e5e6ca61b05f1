import { Link } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import { DEMO_TYPE } from '../../domain/provider-chains.ts';
import { useOwnerRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { ListPage, RecordName, SearchedTable } from '../ui/list-page/list-page.tsx';
import { Badge, type Column } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { AccountStatus, TestButton } from './account-status.tsx';
import { AddAccount } from './add-account.tsx';
import classes from './providers.module.css';
import { type Provider, useCatalog, useProviders } from './queries.ts';
import { useProvidersText } from './text.ts';

/** The accounts at providers of models, with what state each is in. */
export function ProvidersPage() {
  const [text, columns, typeOf] = [useProvidersText(), useColumns(), useTypeNames()];
  return (
    <ListPage text={text} icon={<Plug />} query={useProviders()} add={{ right: 'providers.manage', form: AddAccount }}>
      {(rows) => (
        <>
          <SearchedTable
            text={text}
            columns={columns}
            rows={rows}
            wordsOf={(account) => [account.name, typeOf(account), account.model_name]}
            isShortUnsearched
          />
          {rows.some(({ provider_type: type }) => type !== DEMO_TYPE) && <DemoNote />}
        </>
      )}
    </ListPage>
  );
}

/** Says what has become of the demo model, now that there is an account of another provider. */
function DemoNote() {
  const text = useProvidersText();
  return (
    <p className={`row items-baseline ${classes.demo}`}>
      <strong>{text.demo}</strong>
      <Badge>{text.demoUnused}</Badge>
      <span className={classes.soft}>{text.demoWhy}</span>
    </p>
  );
}

function useColumns(): readonly Column<Provider>[] {
  const [text, typeOf] = [useProvidersText(), useTypeNames()];
  const refusalOf = useOwnerRefusal('providers.manage', text.account.notYours);
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
      cell: (account) => <TestButton id={account.id} reason={refusalOf(account.owner_id)} />,
    },
  ];
}

function AccountName({ account: { id, name, shared } }: { readonly account: Provider }) {
  const [text, orgId] = [useProvidersText(), useOrgId()];
  const note = shared ? text.shared : text.personal;
  return <RecordName to="/o/$orgId/providers/$providerId" params={{ orgId, providerId: id }} name={name} note={note} />;
}

function StateCell({ account }: { readonly account: Provider }) {
  const [text, orgId] = [useProvidersText(), useOrgId()];
  const { id, disabled_reason: reason, auth_type: authType } = account;
  return (
    <span className="column items-start min-w-0">
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
