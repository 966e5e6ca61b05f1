import { type AgentTemplate, TemplateList, useAddAgent } from '../agents/index.ts';
import { useOwnPermissions } from '../core/permissions.ts';
import { useText } from '../core/text/text-context.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/loaded.tsx';

/** The agent that a first conversation is with. */
export type NewAgent = Pick<AgentTemplate, 'id' | 'name' | 'tools' | 'skills'>;

/** Adds the first agent, from a template; says so to those who may not. */
export function AgentStep({ onDone }: { readonly onDone: (agent: NewAgent) => void }) {
  const text = useText();
  const [adding, toast, own] = [useAddAgent(), useToast(), useOwnPermissions()];
  const add = (template: AgentTemplate) =>
    adding.mutate(template, { onSuccess: onDone, onError: (error) => toast(error.message, 'failed') });
  return (
    <Loaded query={own}>
      {({ permissions }) =>
        permissions.includes('agents.manage') ? (
          <TemplateList adding={adding.isPending ? adding.variables.name : undefined} onChoose={add} />
        ) : (
          <p>{text.common.noRight('agents.manage')}</p>
        )
      }
    </Loaded>
  );
}
