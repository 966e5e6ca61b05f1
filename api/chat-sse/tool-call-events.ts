import type { StepEvent } from '../../domain/events/index.ts';
import { AGENT_SPAWN, type FinalCallStatus } from '../../domain/tool-calls/index.ts';
import { isApprovalStep } from './approval-event.ts';
import type { EventData } from './turn-event.ts';

type ToolCallData = EventData<'tool_call'>;

/** Sends the tool calls of one turn's own agent to one reader. Steps of sub-agents are left out. */
export class ToolCallEvents {
  readonly #turnId: string;
  // A call that has ended is null: it is told once, also when it is read again.
  readonly #calls = new Map<string, { readonly name: string; readonly label: string } | null>();

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  get hasOpen(): boolean {
    return [...this.#calls.values()].some((call) => call !== null);
  }

  /** Returns the event for a step of a call, `undefined` when there is none or it was told before. */
  present(step: StepEvent): ToolCallData | undefined {
    if (isApprovalStep(step)) return undefined;
    const { stepId } = step;
    if (step.type === 'step_done' || step.type === 'sub_agent_done') return this.#end(stepId, step.status);
    const isSpawn = step.type === 'sub_agent_start';
    if ((isSpawn ? step.parentId : step.taskId) !== this.#turnId) return undefined;
    const call = isSpawn ? { name: AGENT_SPAWN, label: step.title } : { name: step.name, label: step.label };
    if (this.#calls.has(stepId)) return undefined;
    this.#calls.set(stepId, call);
    return { step_id: stepId, ...call, status: 'running' };
  }

  #end(stepId: string, status: FinalCallStatus): ToolCallData | undefined {
    const call = this.#calls.get(stepId);
    if (call === undefined || call === null) return undefined;
    this.#calls.set(stepId, null);
    return { step_id: stepId, ...call, status };
  }
}
