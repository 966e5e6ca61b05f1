import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { BackLink } from '../../ui/controls/back-link.tsx';
import { Page } from '../../ui/page/page.tsx';
import { useAgentActions } from '../queries.ts';
import { useAgentsText } from '../text.ts';
import classes from './editor.module.css';
import { AgentFields } from './agent-fields.tsx';
import { AGENT_JSON, NEW_AGENT } from '../agent-values.ts';

/** Makes an agent from nothing. */
export function NewAgentPage(): ReactNode {
  const text = useAgentsText();
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useAgentActions()];
  const refusal = useRefusal('agents.manage');
  return (
    <Page
      title={text.newAgent}
      back={
        <BackLink to="/o/$orgId/agents" params={{ orgId }}>
          {text.title}
        </BackLink>
      }
    >
      <div className={classes.wide}>
        <RecordForm
          draftKey="agent.new"
          stored={NEW_AGENT}
          isNew
          submitLabel={text.create}
          reason={refusal}
          json={AGENT_JSON}
          onSubmit={async ({ values }) => {
            const { id: agentId } = await actions.add(values);
            await navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId } });
          }}
        >
          {(record) => <AgentFields record={record} />}
        </RecordForm>
      </div>
    </Page>
  );
}
