import { AppError } from '../core/app-error.ts';
import { MAX_CONTENT_CHARACTERS } from '../turns/index.ts';
import { stepsOf, type WorkflowStep } from './steps.ts';
import { renderTemplate, type TemplateValues } from './template.ts';

/** The parts of a workflow that its runs are made of. */
interface Work {
  readonly agentId: string;
  readonly promptTemplate: string;
  readonly steps: readonly WorkflowStep[];
}

/** What a run takes from its workflow, as that is when the run begins. */
export interface RunWork {
  readonly steps: readonly WorkflowStep[];
  /** The agent that answers the first prompt. */
  readonly agentId: string;
  /** The first prompt, with its values. */
  readonly prompt: string;
  readonly missingVariables: readonly string[];
}

/** Makes the work of a run; `unprocessable` when its first prompt would be empty or too long. */
export function workOfRun({ agentId, ...prompts }: Work, variables: TemplateValues): RunWork {
  const steps = stepsOf(prompts).map((step) => ({ ...step, agentId: step.agentId ?? agentId }));
  const [first] = steps;
  const rendered = renderTemplate(first?.promptTemplate ?? '', variables, MAX_CONTENT_CHARACTERS);
  if (rendered === undefined)
    throw new AppError(
      'unprocessable',
      `With these variables the prompt is longer than ${MAX_CONTENT_CHARACTERS} characters`,
    );
  const { text: prompt, missing: missingVariables } = rendered;
  if (prompt.trim() === '') throw new AppError('unprocessable', 'With these variables the prompt is empty');
  return { steps, agentId: first?.agentId ?? agentId, prompt, missingVariables };
}
