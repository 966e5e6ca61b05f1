import { useNavigate } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { WorkflowForm } from './form/workflow-form.tsx';
import { bodyOf } from './form/workflow-values.ts';
import { useAddWorkflow } from './queries.ts';
import { useWorkflowsText } from './text.ts';

/** Adds a workflow, which is off until somebody switches it on. */
export function NewWorkflowPage() {
  const [text, orgId] = [useWorkflowsText(), useOrgId()];
  const [add, toast, navigate] = [useAddWorkflow(), useToast(), useNavigate()];
  return (
    <Page
      title={text.add}
      back={
        <BackLink to="/o/$orgId/workflows" params={{ orgId }}>
          {text.title}
        </BackLink>
      }
    >
      <WorkflowForm
        submitLabel={text.add}
        onSubmit={async ({ values }) => {
          const { name, agent_id: agentId } = values;
          const { id } = await add.mutateAsync({ ...bodyOf(values), name, agent_id: agentId ?? '' });
          toast(text.added(showInvisible(name)));
          await navigate({ to: '/o/$orgId/workflows/$workflowId', params: { orgId, workflowId: id } });
        }}
      />
    </Page>
  );
}
