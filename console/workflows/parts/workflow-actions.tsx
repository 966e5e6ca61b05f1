import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { useRecordDrafts } from '../../ui/form/record-drafts.ts';
import { RecordMenu } from '../../ui/form/record-menu.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { bodyOf, valuesOf } from '../form/workflow-values.ts';
import { type Workflow, useAddWorkflow, useWorkflowActions } from '../queries.ts';
import { useWorkflowsText } from '../text.ts';
import { RunDialog } from './run-dialog.tsx';

/** What can be done with a workflow, beside its name. */
export function WorkflowActions({ workflow }: { readonly workflow: Workflow }) {
  const [text, orgId] = [useWorkflowsText(), useOrgId()];
  const { remove } = useWorkflowActions(workflow.id);
  const add = useAddWorkflow();
  const drafts = useRecordDrafts();
  const [toast, refusal, navigate] = [useToast(), useRefusal('schedules.manage'), useNavigate()];
  const [asked, setAsked] = useState<'run' | 'remove'>();
  const name = showInvisible(workflow.name);
  const close = () => setAsked(undefined);
  return (
    <>
      <Button look="primary" reason={refusal} onClick={() => setAsked('run')}>
        <Play aria-hidden />
        {text.run}
      </Button>
      <RecordMenu
        kind="workflow"
        name={workflow.name}
        body={bodyOf(valuesOf(workflow))}
        mayAdd={refusal === undefined}
        onDuplicate={async (copied) => {
          const body = { ...bodyOf(valuesOf(workflow)), agent_id: workflow.agent_id, name: copied };
          const { id } = await add.mutateAsync(body);
          toast(text.copied(showInvisible(copied)));
          void navigate({ to: '/o/$orgId/workflows/$workflowId', params: { orgId, workflowId: id } });
        }}
        items={refusal === undefined ? [{ key: 'remove', label: text.remove, run: () => setAsked('remove') }] : []}
      />
      {asked === 'run' && <RunDialog workflow={workflow} onClose={close} />}
      <Confirm
        open={asked === 'remove'}
        onClose={close}
        title={text.removeTitle(name)}
        description={text.removeWhy}
        action={text.remove}
        onConfirm={async () => {
          await remove.mutateAsync();
          toast(text.removed(name));
          // What was changed here and not saved is gone with it.
          drafts.forget(`workflow.${workflow.id}`, `notify.workflows.${workflow.id}`);
          await navigate({ to: '/o/$orgId/workflows', params: { orgId }, ignoreBlocker: true });
        }}
      />
    </>
  );
}
