import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useServerActions } from '../queries.ts';
import { ServerFields } from '../server-fields.tsx';
import { bodyOf, SERVER_JSON, type ServerValues } from '../server-values.ts';
import { useServersText } from '../text.ts';

interface NewServerFormProps {
  readonly draftKey: string;
  /** What it begins with. */
  readonly begun: ServerValues;
}

/** Adds an MCP server, and shows it. */
export function NewServerForm({ draftKey, begun }: NewServerFormProps): ReactNode {
  const text = useServersText();
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useServerActions()];
  return (
    <RecordForm
      draftKey={draftKey}
      stored={begun}
      isNew
      secrets={['url', 'auth_value']}
      json={SERVER_JSON}
      submitLabel={text.create}
      onSubmit={async ({ values }) => {
        const { id: serverId } = await actions.add(bodyOf(values));
        await navigate({ to: '/o/$orgId/mcp-servers/$serverId', params: { orgId, serverId } });
      }}
    >
      {(record) => <ServerFields record={record} hasSecret={false} />}
    </RecordForm>
  );
}
