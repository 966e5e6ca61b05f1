import { useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { BackLink } from '../ui/controls/button.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Loaded, Page } from '../ui/page/page.tsx';
import { PageTabs } from '../ui/page/tabs.tsx';
import { AgentFields } from './agent-fields.tsx';
import { AGENT_JSON, NEW_AGENT, valuesOf } from './agent-values.ts';
import classes from './agents.module.css';
import { PartLinks } from './part-links.tsx';
import { type AgentRecord, useAgent, useAgentActions } from './queries.ts';
import { useAgentsText } from './text.ts';

/** Changes an agent. */
export function AgentEditor(): ReactNode {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId' });
  const agent = useAgent(agentId);
  return <Loaded query={agent}>{(record) => <OpenEditor key={agentId} agent={record} />}</Loaded>;
}

function OpenEditor({ agent }: { readonly agent: AgentRecord }): ReactNode {
  const text = useAgentsText();
  const [refusal, actions] = [useRefusal('agents.manage'), useAgentActions()];
  const stored = useMemo(() => valuesOf(agent), [agent]);
  return (
    <div className={classes.wide}>
      <RecordForm
        draftKey={`agent.${agent.id}`}
        stored={stored}
        reason={refusal}
        json={AGENT_JSON}
        onReload={() => void actions.read()}
        done={text.saved}
        onSubmit={async ({ changes, overwrite }) =>
          actions.change(agent.id, changes, overwrite ? undefined : agent.updated_at)
        }
      >
        {(record) => <AgentFields record={record} />}
      </RecordForm>
    </div>
  );
}

/** Makes an agent from nothing. */
export function NewAgentPage(): ReactNode {
  const text = useAgentsText();
  const [orgId, actions, show] = [useOrgId(), useAgentActions(), useShowAdded('/o/$orgId/agents/$agentId')];
  const refusal = useRefusal('agents.manage');
  return (
    <Page title={text.add} back={<BackLink to="/o/$orgId/agents" params={{ orgId }} label={text.title} />}>
      <PageTabs label={text.editor.label}>
        <PartLinks to="/o/$orgId/agents/new" params={{ orgId }} />
      </PageTabs>
      <div className={classes.wide}>
        <RecordForm
          draftKey="agent.new"
          stored={NEW_AGENT}
          isNew
          submitLabel={text.add}
          reason={refusal}
          json={AGENT_JSON}
          onSubmit={async ({ values }) => show(await actions.add(values))}
        >
          {(record) => <AgentFields record={record} />}
        </RecordForm>
      </div>
    </Page>
  );
}
