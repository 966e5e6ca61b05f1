import { isStart, type StepDone, type StepEvent, type StepStart } from '../../domain/events/index.ts';

/**
 * The relation of a step event to the known steps. `early`: the start of the step, or of the sub-agent that takes it,
 * is unknown.
 */
type Classification = 'new' | 'known' | 'early';

/** The number of steps of one turn that are shown; the rest is not. */
const MAX_STEPS = 5_000;

/** Tracks the steps of a running turn as its viewers know them. Each only moves forward: unknown, begun, done. */
export class ToolCallTracker {
  // The event that began a step, while it is open; null when it is done.
  readonly #steps = new Map<string, StepStart | null>();
  // The turns of the agents whose steps may follow.
  readonly #agents: Set<string>;
  #openCount = 0;

  /** @param turnId the turn of the agent at the root. */
  constructor(turnId: string) {
    this.#agents = new Set([turnId]);
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  get hasOpen(): boolean {
    return this.#openCount > 0;
  }

  /** The starts of the open steps, in order. */
  get open(): StepStart[] {
    return [...this.#steps.values()].filter((start) => start !== null);
  }

  /** Notes the step if it is `new`, in which case it is to be shown. */
  take(step: StepEvent): Classification {
    const classification = this.#classify(step);
    if (classification === 'new') this.#note(step);
    return classification;
  }

  /** Returns whether any of the events is new; they are in order. */
  hasNews(steps: readonly StepEvent[]): boolean {
    return steps.some((step) => this.#classify(step) === 'new');
  }

  /** Returns an end for each open step, the last begun first, for a turn that is over: their outcome is unknown. */
  endsOfOpen(): StepDone[] {
    return this.open.toReversed().map(endOf);
  }

  #note(step: StepEvent): void {
    const isOpen = isStart(step);
    this.#steps.set(step.stepId, isOpen ? step : null);
    this.#openCount += isOpen ? 1 : -1;
    if (step.type === 'sub_agent_start') this.#agents.add(step.taskId);
  }

  #classify(step: StepEvent): Classification {
    const start = this.#steps.get(step.stepId);
    if (start === null) return 'known';
    if (start !== undefined) return isStart(step) ? 'known' : 'new';
    if (this.#steps.size >= MAX_STEPS) return 'known';
    return isStart(step) && this.#agents.has(callerOf(step)) ? 'new' : 'early';
  }
}

function callerOf(start: StepStart): string {
  return start.type === 'sub_agent_start' ? start.parentId : start.taskId;
}

function endOf(start: StepStart): StepDone {
  const { taskId, stepId } = start;
  if (start.type === 'step_start') return { type: 'step_done', taskId, stepId, status: 'unknown' };
  if (start.type === 'approval_requested') return { type: 'approval_decided', taskId, stepId, status: 'cancelled' };
  return {
    type: 'sub_agent_done',
    taskId,
    stepId,
    agentName: start.agentName,
    status: 'unknown',
    output: '',
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
