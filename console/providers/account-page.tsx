import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOwnerRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { BackLink } from '../ui/controls/button.tsx';
import { ActionButton, ConfirmButton } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Facts, Loaded, Page, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { AccountForm } from './account-form.tsx';
import { AccountStatus, TestButton } from './account-status.tsx';
import classes from './providers.module.css';
import { type CatalogEntry, type Provider, useCatalog, useProvider, useProviderActions } from './queries.ts';
import { useProvidersText } from './text.ts';

/** One account: how it works now, what it is made of, and its end. */
export function AccountPage(): ReactNode {
  const text = useProvidersText();
  const { orgId, providerId } = useParams({ from: '/o/$orgId/providers/$providerId' });
  const [account, catalog] = [useProvider(providerId), useCatalog()];
  const { data } = account;
  return (
    <Page
      title={data === undefined ? text.title : showInvisible(data.name)}
      back={<BackLink to="/o/$orgId/providers" params={{ orgId }} label={text.account.back} />}
    >
      <Loaded query={account}>
        {(record) => (
          <Loaded query={catalog}>
            {(entries) => (
              <OpenAccount
                key={record.id}
                account={record}
                entry={entries.find(({ key }) => key === record.provider_type)}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

interface OpenAccountProps {
  readonly account: Provider;
  readonly entry: CatalogEntry | undefined;
}

function OpenAccount({ account, entry }: OpenAccountProps): ReactNode {
  const text = useProvidersText().account;
  const reason = useOwnerRefusal('providers.manage', text.notYours)(account.owner_id);
  return (
    <div className="form">
      <Section title={text.now} actions={<TestButton id={account.id} reason={reason} />}>
        <Disabled account={account} />
        <AccountFacts account={account} entry={entry} />
      </Section>
      <Section title={text.settings} lead={reason}>
        <AccountForm account={account} entry={entry} reason={reason} />
      </Section>
      <RemoveAccount account={account} reason={reason} />
    </div>
  );
}

interface RemoveAccountProps {
  readonly account: Provider;
  /** Why it cannot be deleted; undefined when it can. */
  readonly reason: string | undefined;
}

/** Deletes an account so that it can be restored, or for good once its name was typed. */
function RemoveAccount({ account, reason }: RemoveAccountProps): ReactNode {
  const text = useProvidersText().account;
  const [toast, actions] = [useToast(), useProviderActions()];
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const name = showInvisible(account.name);
  const toList = async () => navigate({ to: '/o/$orgId/providers', params: { orgId } });
  const say = (error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed');
  const remove = async () => {
    await actions.remove(account.id);
    toast(text.removed(name), 'done', { label: text.undo, run: () => void actions.restore(account.id).catch(say) });
    await toList();
  };
  return (
    <Section
      title={text.removeTitle}
      lead={text.removeWhy}
      isDanger
      actions={
        <>
          <ActionButton variant="danger" reason={reason} action={remove}>
            {text.remove}
          </ActionButton>
          <ConfirmButton
            variant="danger"
            reason={reason}
            question={text.purgeAsk(name)}
            why={text.purgeWhy}
            action={text.purge}
            typedName={account.name}
            onConfirm={async () => {
              await actions.purge(account.id);
              toast(text.purged(name));
              await toList();
            }}
          />
        </>
      }
    />
  );
}

function Disabled({ account: { disabled_reason: reason, auth_type: authType } }: { readonly account: Provider }) {
  const text = useProvidersText().account;
  if (reason === null) return null;
  return (
    <div className={classes.notice}>
      <p>{text.disabledWhy(showInvisible(reason))}</p>
      <p>{authType === 'oauth' ? text.disabledSignIn : text.disabledKey}</p>
    </div>
  );
}

function AccountFacts({ account, entry }: OpenAccountProps): ReactNode {
  const text = useProvidersText();
  const { provider_type: type, auth_type: authType, has_credentials: hasCredentials, last_used_at: used } = account;
  const stored = authType === 'oauth' ? text.account.signedIn : text.account.stored;
  return (
    <Facts
      facts={[
        { label: text.account.status, value: <AccountStatus account={account} /> },
        { label: text.account.type, value: showInvisible(entry?.name ?? type) },
        { label: text.account.credentials, value: hasCredentials ? stored : text.account.noCredentials },
        { label: text.account.serves, value: account.shared ? text.account.everybody : text.account.itsOwner },
        { label: text.lastUsed, value: used === null ? text.never : timeFromNow(used) },
      ]}
    />
  );
}
