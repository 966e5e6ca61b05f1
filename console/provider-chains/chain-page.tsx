import { useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { UsingAgents } from '../agents/using-agents.tsx';
import { useCan, useOwnerRefusal, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { BackLink } from '../ui/controls/button.tsx';
import { DeleteSection } from '../ui/form/delete-section.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded, Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { bodyOf, CHAIN_JSON, ChainFields, NEW_CHAIN, stepsOf, valuesOf } from './chain-fields.tsx';
import { type Chain, useChain, useChainActions } from './queries.ts';
import { useChainsText } from './text.ts';

/** Changes a chain, or deletes it. */
export function ChainPage(): ReactNode {
  const text = useChainsText();
  const { orgId, chainId } = useParams({ from: '/o/$orgId/provider-chains/$chainId' });
  const chain = useChain(chainId);
  const { data } = chain;
  return (
    <Page
      title={data === undefined ? text.title : showInvisible(data.name)}
      back={<BackLink to="/o/$orgId/provider-chains" params={{ orgId }} label={text.back} />}
      actions={data && <ChainMenu chain={data} />}
    >
      <Loaded query={chain}>{(record) => <OpenChain key={record.id} chain={record} />}</Loaded>
    </Page>
  );
}

function OpenChain({ chain }: { readonly chain: Chain }): ReactNode {
  const text = useChainsText();
  const [toast, actions, reason] = [useToast(), useChainActions(), useWhyFixed(chain)];
  const stored = useMemo(() => valuesOf(chain), [chain]);
  return (
    <div className="form">
      <RecordForm
        draftKey={`provider-chain.${chain.id}`}
        stored={stored}
        reason={reason}
        json={CHAIN_JSON}
        onReload={() => void actions.read()}
        onSubmit={async ({ changes: { steps, ...changes }, overwrite }) => {
          const body = { ...changes, ...(steps !== undefined && { steps: stepsOf(steps) }) };
          await actions.change(chain.id, body, overwrite ? undefined : chain.updated_at);
          toast(text.saved(showInvisible(changes.name ?? chain.name)));
        }}
      >
        {(record) => <ChainFields record={record} />}
      </RecordForm>
      <UsingAgents uses={{ provider_chain_id: chain.id }} />
      <DeleteSection
        text={text}
        name={chain.name}
        reason={reason}
        onRemove={async () => actions.remove(chain.id)}
        list="/o/$orgId/provider-chains"
        draftKeys={[`provider-chain.${chain.id}`]}
      />
    </div>
  );
}

function ChainMenu({ chain }: { readonly chain: Chain }): ReactNode {
  const text = useChainsText();
  const [{ add }, refusal] = [useChainActions(), useRefusal('providers.manage')];
  const show = useShowAdded('/o/$orgId/provider-chains/$chainId', text.added);
  // There is one default, which a copy does not become.
  const body = { ...bodyOf(valuesOf(chain)), is_default: false };
  return (
    <RecordMenu
      kind="provider-chain"
      name={chain.name}
      body={body}
      mayAdd={refusal === undefined}
      onDuplicate={async (name) => void show(await add({ ...body, name }))}
    />
  );
}

/** Returns why the user may not change a chain; undefined when they may, as far as the page can know. */
function useWhyFixed({ owner_id: owner, is_default: isDefault }: Chain): string | undefined {
  const text = useChainsText();
  const [refusal, isAdministrator] = [useOwnerRefusal('providers.manage', text.notYours), useCan('settings.manage')];
  return refusal(owner) ?? (isDefault && !isAdministrator ? text.defaultNotYours : undefined);
}

/** Adds a chain. */
export function NewChainPage(): ReactNode {
  const text = useChainsText();
  const [{ add }, refusal, orgId] = [useChainActions(), useRefusal('providers.manage'), useOrgId()];
  const show = useShowAdded('/o/$orgId/provider-chains/$chainId', text.added);
  return (
    <Page title={text.add} back={<BackLink to="/o/$orgId/provider-chains" params={{ orgId }} label={text.back} />}>
      <div className="form">
        <RecordForm
          draftKey="provider-chain.new"
          stored={NEW_CHAIN}
          isNew
          submitLabel={text.add}
          reason={refusal}
          json={CHAIN_JSON}
          onSubmit={async ({ values }) => show(await add(bodyOf(values)))}
        >
          {(record) => <ChainFields record={record} />}
        </RecordForm>
      </div>
    </Page>
  );
}
