import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { Button } from '../ui/controls/button.tsx';
import { Form } from '../ui/controls/form.tsx';
import { TextAreaField } from '../ui/fields/text-fields.tsx';
import { useLeaveDeleted, useShowAdded } from '../ui/form/leave-page.ts';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { Confirm, Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import { bodyOf, valuesOf } from './form/workflow-values.ts';
import { useWorkflowActions, useWorkflowRecords, type Workflow } from './queries.ts';
import { useWorkflowsText } from './text.ts';

/** What can be done with a workflow, beside its name. */
export function WorkflowActions({ workflow }: { readonly workflow: Workflow }) {
  const text = useWorkflowsText();
  const { remove } = useWorkflowActions(workflow.id);
  const { add } = useWorkflowRecords();
  const [leave, refusal] = [useLeaveDeleted(), useRefusal('schedules.manage')];
  const show = useShowAdded('/o/$orgId/workflows/$workflowId', text.copied);
  const [asked, setAsked] = useState<'run' | 'remove'>();
  const name = showInvisible(workflow.name);
  const close = () => setAsked(undefined);
  return (
    <>
      <Button icon={Play} variant="primary" reason={refusal} onClick={() => setAsked('run')}>
        {text.run}
      </Button>
      <RecordMenu
        kind="workflow"
        name={workflow.name}
        body={bodyOf(valuesOf(workflow))}
        mayAdd={refusal === undefined}
        onDuplicate={async (copied) => {
          const body = { ...bodyOf(valuesOf(workflow)), agent_id: workflow.agent_id, name: copied };
          void show(await add(body));
        }}
        remove={{ label: text.remove, reason: refusal, run: () => setAsked('remove') }}
      />
      {asked === 'run' && <RunDialog workflow={workflow} onClose={close} />}
      <Confirm
        open={asked === 'remove'}
        onClose={close}
        title={text.removeTitle(name)}
        description={text.removeWhy}
        action={text.remove}
        onConfirm={async () => {
          await remove();
          const draftKeys = [`workflow.${workflow.id}`, `notify.workflows.${workflow.id}`];
          await leave(text.removed(name), '/o/$orgId/workflows', ...draftKeys);
        }}
      />
    </>
  );
}

/** Starts a run with a value for each variable. */
function RunDialog({ workflow, onClose }: { readonly workflow: Workflow; readonly onClose: () => void }) {
  const text = useWorkflowsText();
  const { trigger } = useWorkflowActions(workflow.id);
  const [toast, navigate] = [useToast(), useNavigate({ from: '/o/$orgId/workflows/$workflowId' })];
  const { variables } = workflow;
  return (
    <Dialog open onClose={onClose} title={text.run} description={text.runWhy}>
      <Form
        submitLabel={text.run}
        onSubmit={async (values) => {
          await trigger.mutateAsync(givenOf(variables, values));
          toast(text.started);
          onClose();
          await navigate({ search: { tab: 'runs' } });
        }}
      >
        {variables.length === 0 && <p>{text.noFields}</p>}
        {variables.map((name, at) => (
          <TextAreaField
            key={name}
            label={showInvisible(name)}
            name={fieldName(at)}
            {...(at === 0 && { hint: text.emptyValue })}
          />
        ))}
      </Form>
    </Dialog>
  );
}

// By its place, as a variable may be called like a property that every form has.
const fieldName = (at: number) => `variable-${at}`;

/** Returns the values that were given, by the names of their variables. */
function givenOf(names: readonly string[], values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name, at) => {
      const value = values[fieldName(at)] ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
}
