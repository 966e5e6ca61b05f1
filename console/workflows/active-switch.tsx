import { useRefusal } from '../core/permissions.ts';
import { SwitchField } from '../ui/fields/fields.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { type Workflow, useWorkflowActions } from './queries.ts';
import { useWorkflowsText } from './text.ts';

/** Switches whether the webhook or the times of a workflow start it. */
export function ActiveSwitch({ workflow: { id, is_active: isActive } }: { readonly workflow: Workflow }) {
  const text = useWorkflowsText();
  const { activate } = useWorkflowActions(id);
  const [toast, refusal] = [useToast(), useRefusal('schedules.manage')];
  return (
    <SwitchField
      label={isActive ? text.on : text.off}
      name={`active-${id}`}
      value={activate.isPending ? activate.variables : isActive}
      reason={refusal}
      onValueChange={(isOn) =>
        activate.mutate(isOn, {
          onSuccess: () => toast(isOn ? text.switchedOn : text.switchedOff),
          onError: (error) => toast(error.message, 'failed'),
        })
      }
    />
  );
}
