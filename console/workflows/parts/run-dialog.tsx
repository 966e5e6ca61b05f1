import { useNavigate } from '@tanstack/react-router';
import { Form } from '../../ui/controls/form.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type Workflow, useWorkflowActions } from '../queries.ts';
import { useWorkflowsText } from '../text.ts';

interface RunDialogProps {
  readonly workflow: Workflow;
  readonly onClose: () => void;
}

/** Starts a run with a value for each variable. */
export function RunDialog({ workflow, onClose }: RunDialogProps) {
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
