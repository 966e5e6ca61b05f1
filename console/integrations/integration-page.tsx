import { useParams } from '@tanstack/react-router';
import { LogIn, Plug } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useRedirectRefusal, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { BackLink, Button } from '../ui/controls/button.tsx';
import { ConfirmDelete } from '../ui/form/delete-section.tsx';
import { RecordMenu, type RecordMenuProps } from '../ui/form/record-menu.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ActionButton, Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { InlineCode, Loaded, Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { IntegrationFields, NewIntegrationForm } from './integration-fields.tsx';
import { IntegrationState } from './integration-state.tsx';
import { bodyOf, INTEGRATION_JSON, type IntegrationValues, valuesOf } from './integration-values.ts';
import { type Integration, type IntegrationKind, useIntegration, useIntegrationActions, useKinds } from './queries.ts';
import { SignInDialog } from './sign-in-dialog.tsx';
import { useIntegrationsText } from './text.ts';

/** One integration: how it is, how it is reached, and what can be done with it. */
export function IntegrationPage(): ReactNode {
  const { integrationId } = useParams({ from: '/o/$orgId/integrations/$integrationId' });
  const [integration, kinds] = [useIntegration(integrationId), useKinds()];
  return (
    <Loaded query={integration}>
      {(record) => (
        <Loaded query={kinds}>
          {(all) => (
            <OpenIntegration
              key={integrationId}
              integration={record}
              kind={all.find(({ kind }) => kind === record.kind)}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface OpenIntegrationProps {
  readonly integration: Integration;
  readonly kind: IntegrationKind | undefined;
}

function OpenIntegration({ integration, kind }: OpenIntegrationProps): ReactNode {
  const text = useIntegrationsText();
  const orgId = useOrgId();
  const refusal = useRedirectRefusal('integrations.manage', integration.owner_id);
  const actions = useIntegrationActions();
  const stored = useMemo(() => valuesOf(integration), [integration]);
  const { account, error, checked_at: checkedAt, signed_in_at: signedInAt } = integration;
  return (
    <Page
      title={showInvisible(integration.name)}
      back={<BackLink to="/o/$orgId/integrations" params={{ orgId }} label={text.title} />}
      lead={kind && <InlineCode text={kind.description} />}
      actions={<IntegrationButtons integration={integration} kind={kind} />}
    >
      <div className="row mb-4">
        <IntegrationState status={integration.status} />
        {checkedAt !== null && <span className="soft wrap-anywhere">{text.checked(timeFromNow(checkedAt))}</span>}
        {account !== null && <span className="soft wrap-anywhere">{text.account(showInvisible(account))}</span>}
        {signedInAt !== null && <span className="soft wrap-anywhere">{text.signedIn(timeFromNow(signedInAt))}</span>}
        {error !== null && <span className="danger wrap-anywhere">{showInvisible(error)}</span>}
      </div>
      {kind !== undefined && (
        <RecordForm
          draftKey={`integration.${integration.id}`}
          stored={stored}
          secrets={['base_url', 'credentials']}
          reason={refusal}
          json={INTEGRATION_JSON}
          onReload={() => void actions.read()}
          done={text.saved}
          onSubmit={async ({ changes, overwrite }) =>
            actions.change(integration.id, bodyOf(changes), overwrite ? undefined : integration.updated_at)
          }
        >
          {(record) => <IntegrationFields record={record} kind={kind} stored={integration.credential_fields} />}
        </RecordForm>
      )}
    </Page>
  );
}

function IntegrationButtons({ integration, kind }: OpenIntegrationProps): ReactNode {
  const text = useIntegrationsText();
  const toast = useToast();
  const [mayNotTest, actions] = [useRefusal('integrations.manage'), useIntegrationActions()];
  const refusal = useRedirectRefusal('integrations.manage', integration.owner_id);
  const [asked, setAsked] = useState<'sign-in' | 'delete'>();
  const hasClient = integration.credential_fields.includes('client_id');
  const test = async () => {
    const { ok, latency_ms: ms, error } = await actions.test(integration.id);
    if (ok) toast(text.works(ms));
    else toast(text.worksNot(showInvisible(error ?? '')), 'failed');
  };
  return (
    <>
      <ActionButton icon={Plug} variant="primary" reason={mayNotTest} action={test}>
        {text.test}
      </ActionButton>
      {(kind?.oauth ?? null) !== null && (
        <Button
          icon={LogIn}
          reason={refusal ?? (hasClient ? undefined : text.needsClient)}
          onClick={() => setAsked('sign-in')}
        >
          {text.signIn}
        </Button>
      )}
      <MoreMenu
        integration={integration}
        kind={kind}
        remove={{ label: text.delete, reason: refusal, run: () => setAsked('delete') }}
      />
      {kind?.oauth && (
        <SignInDialog
          integrationId={integration.id}
          oauth={kind.oauth}
          open={asked === 'sign-in'}
          onClose={() => setAsked(undefined)}
        />
      )}
      <ConfirmDelete
        text={text}
        name={integration.name}
        open={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        onRemove={async (isForced) => actions.remove(integration.id, isForced)}
        list="/o/$orgId/integrations"
        draftKeys={[`integration.${integration.id}`]}
      />
    </>
  );
}

type MoreMenuProps = OpenIntegrationProps & Pick<RecordMenuProps, 'remove'>;

function MoreMenu({ integration, kind, remove }: MoreMenuProps): ReactNode {
  const [text, refusal] = [useIntegrationsText(), useRefusal('integrations.manage')];
  // Its credentials are nowhere here: a copy is given them before it is added.
  const [copied, setCopied] = useState<IntegrationValues>();
  return (
    <>
      <RecordMenu
        kind="integration"
        name={integration.name}
        body={{ kind: integration.kind, ...INTEGRATION_JSON.write(valuesOf(integration)) }}
        mayAdd={refusal === undefined && kind !== undefined}
        onDuplicate={(copied) => setCopied({ ...valuesOf(integration), name: copied })}
        remove={remove}
      />
      <Dialog
        open={copied !== undefined}
        onClose={() => setCopied(undefined)}
        title={text.add}
        description={text.copyWhy}
      >
        {copied !== undefined && kind !== undefined && (
          <NewIntegrationForm draftKey={`integration.copy.${integration.id}`} kind={kind} begun={copied} />
        )}
      </Dialog>
    </>
  );
}
