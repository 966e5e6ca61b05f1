import { namesIn, stepOfName } from './template.ts';

/** A prompt of a workflow. Its steps are sent one after the other in the conversation of a run. */
export interface WorkflowStep {
  readonly name: string;
  readonly promptTemplate: string;
  /** The agent that answers it; that of the workflow unless given. */
  readonly agentId: string | null;
  /** Whether a person has to approve its prompt before it is sent. */
  readonly approval: boolean;
  /** How often it is tried again after a failure. */
  readonly retries: number;
}

/** The parts of a workflow that decide which prompts a run sends. */
interface Prompts {
  readonly promptTemplate: string;
  readonly steps: readonly WorkflowStep[];
}

/** The name of the only step of a workflow that declares none. */
const PROMPT = 'prompt';

/** Returns the steps of a workflow: those that it declares, or its one prompt. */
export function stepsOf({ promptTemplate, steps }: Prompts): readonly WorkflowStep[] {
  return steps.length > 0 ? steps : [{ name: PROMPT, promptTemplate, agentId: null, approval: false, retries: 0 }];
}

/** Returns the variables that the prompts of a workflow declare, each once: what `{{ name }}` in them stands for. */
export function variablesOf(prompts: Prompts): string[] {
  const names = stepsOf(prompts).flatMap(({ promptTemplate }) => namesIn(promptTemplate));
  return [...new Set(names.filter((name) => stepOfName(name) === undefined))];
}

/** Returns what is wrong with the names in steps, in words; `undefined` when nothing is. */
export function stepsIssue(steps: readonly Pick<WorkflowStep, 'name' | 'promptTemplate'>[]): string | undefined {
  const before = new Set<string>();
  for (const { name, promptTemplate } of steps) {
    if (before.has(name)) return `two steps are called "${name}"`;
    const unknown = namesIn(promptTemplate)
      .map(stepOfName)
      .find((step) => step !== undefined && !before.has(step));
    if (unknown !== undefined) return `the step "${name}" uses the output of "${unknown}", which is no step before it`;
    before.add(name);
  }
  return undefined;
}
