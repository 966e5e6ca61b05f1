import { useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { type AgentRecord, useAgent, useAgentActions } from '../queries.ts';
import { useAgentsText } from '../text.ts';
import classes from './editor.module.css';
import { AgentFields } from './agent-fields.tsx';
import { AGENT_JSON, valuesOf } from '../agent-values.ts';

/** Changes an agent. */
export function AgentEditor(): ReactNode {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId' });
  const agent = useAgent(agentId);
  return <Loaded query={agent}>{(record) => <OpenEditor key={agentId} agent={record} />}</Loaded>;
}

function OpenEditor({ agent }: { readonly agent: AgentRecord }): ReactNode {
  const text = useAgentsText();
  const [refusal, toast, actions] = [useRefusal('agents.manage'), useToast(), useAgentActions()];
  const stored = useMemo(() => valuesOf(agent), [agent]);
  return (
    <div className={classes.wide}>
      <RecordForm
        draftKey={`agent.${agent.id}`}
        stored={stored}
        reason={refusal}
        json={AGENT_JSON}
        onReload={() => void actions.read()}
        onSubmit={async ({ changes, overwrite }) => {
          await actions.change(agent.id, changes, overwrite ? undefined : agent.updated_at);
          toast(text.saved);
        }}
      >
        {(record) => <AgentFields record={record} />}
      </RecordForm>
    </div>
  );
}
