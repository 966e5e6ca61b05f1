import { type AgentTemplate, TemplateList, useAddAgent } from '../agents/index.ts';
import { useToast } from '../ui/overlays/toast.tsx';

/** The agent that a first conversation is with. */
export interface NewAgent {
  readonly id: string;
  readonly name: string;
}

/** Adds the first agent, from a template. */
export function AgentStep({ onDone }: { readonly onDone: (agent: NewAgent) => void }) {
  const [adding, toast] = [useAddAgent(), useToast()];
  const add = (template: AgentTemplate) =>
    adding.mutate(template, { onSuccess: onDone, onError: (error) => toast(error.message, 'failed') });
  return <TemplateList adding={adding.isPending ? adding.variables.name : undefined} onChoose={add} />;
}
