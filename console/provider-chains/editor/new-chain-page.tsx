import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { BackLink } from '../../ui/controls/back-link.tsx';
import { Page } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../chains.module.css';
import { useChainActions } from '../queries.ts';
import { useChainsText } from '../text.ts';
import { ChainFields } from './chain-fields.tsx';
import { bodyOf, CHAIN_JSON, NEW_CHAIN } from './chain-values.ts';

/** Adds a chain. */
export function NewChainPage(): ReactNode {
  const text = useChainsText();
  const [{ add }, refusal, toast] = [useChainActions(), useRefusal('providers.manage'), useToast()];
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  return (
    <Page
      title={text.newTitle}
      back={
        <BackLink to="/o/$orgId/provider-chains" params={{ orgId }}>
          {text.back}
        </BackLink>
      }
    >
      <div className={classes.sections}>
        <RecordForm
          draftKey="provider-chain.new"
          stored={NEW_CHAIN}
          isNew
          submitLabel={text.add}
          reason={refusal}
          json={CHAIN_JSON}
          onSubmit={async ({ values }) => {
            const { id, name } = await add(bodyOf(values));
            toast(text.added(showInvisible(name)));
            await navigate({ to: '/o/$orgId/provider-chains/$chainId', params: { orgId, chainId: id } });
          }}
        >
          {(record) => <ChainFields record={record} />}
        </RecordForm>
      </div>
    </Page>
  );
}
