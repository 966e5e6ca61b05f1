import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { IntegrationFields } from './integration-fields.tsx';
import { bodyOf, INTEGRATION_JSON, type IntegrationValues } from './integration-values.ts';
import { type IntegrationKind, useIntegrationActions } from './queries.ts';
import { useIntegrationsText } from './text.ts';

interface NewIntegrationFormProps {
  readonly draftKey: string;
  readonly kind: IntegrationKind;
  /** What it begins with: the same object until the form is gone. */
  readonly begun: IntegrationValues;
}

/** Adds an integration of a kind, and shows it. */
export function NewIntegrationForm({ draftKey, kind, begun }: NewIntegrationFormProps): ReactNode {
  const text = useIntegrationsText();
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useIntegrationActions()];
  return (
    <RecordForm
      draftKey={draftKey}
      stored={begun}
      isNew
      secrets={['base_url', 'credentials']}
      json={INTEGRATION_JSON}
      submitLabel={text.create}
      onSubmit={async ({ values }) => {
        const { id: integrationId } = await actions.add({ ...bodyOf(values), kind: kind.kind });
        await navigate({ to: '/o/$orgId/integrations/$integrationId', params: { orgId, integrationId } });
      }}
    >
      {(record) => <IntegrationFields record={record} kind={kind} stored={[]} isNew />}
    </RecordForm>
  );
}
