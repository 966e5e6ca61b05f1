import { showInvisible } from '../../ui/visible.ts';
import type { CallStatus, ServerFrame, StepFrame, TurnStatus } from './merge-messages.ts';

/** A call of a tool. Times are milliseconds since 1970; a step that began before one looked has none. */
export interface CallStep {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly status: 'running' | CallStatus;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Where in the text of its agent it was made, in UTF-16 code units. */
  readonly offset: number;
  /** The wait of the call for a person's decision; it begins once it is approved. */
  readonly approval: Approval | undefined;
}

/** A wait of a call for a person's decision. */
interface Approval {
  readonly id: string;
  readonly status: string;
  readonly expiresAt: string;
}

/** The work of a sub-agent, with its own steps below. */
export interface AgentStep {
  readonly kind: 'agent';
  /** The id of its task. */
  readonly id: string;
  readonly agentName: string;
  readonly title: string;
  readonly subChatId: string;
  readonly status: 'running' | TurnStatus;
  readonly output: string;
  readonly tokens: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Where in the text of the agent above it was begun, in UTF-16 code units. */
  readonly offset: number;
  readonly steps: readonly Step[];
}

/** A step of a turn. */
export type Step = CallStep | AgentStep;

/** Returns what a step is called. */
export function nameOf(step: Step): string {
  return showInvisible(step.kind === 'agent' ? `${step.agentName}: ${step.title}` : step.label);
}

/** What a call's begin and its wait for a decision say of it. */
type CallBegin = Pick<ServerFrame<'sub_agent_step_start'>, 'task_id' | 'step_id' | 'step_name' | 'step_label'>;

type Node = CallStep | Omit<AgentStep, 'steps'>;

/** The steps that are shown of one turn; further ones are not. */
const MAX_STEPS = 5_000;

/**
 * The steps of a running turn. Each only moves forward, from begun to done, so frames may come twice, late, and again
 * after a reconnection.
 */
export class StepTree {
  readonly #turnId: string;
  readonly #nodes = new Map<string, Node>();
  // The children of each agent in the order of their beginning; the turn's own under its id.
  readonly #children = new Map<string, string[]>();
  readonly #callOfApproval = new Map<string, string>();
  #steps: readonly Step[] | undefined;

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  /** The steps of the turn's own agent, with those of sub-agents below them; the same value until one changes. */
  get steps(): readonly Step[] {
    this.#steps ??= this.#below(this.#turnId);
    return this.#steps;
  }

  /**
   * Takes a frame; `at` is when it came, in milliseconds since 1970, `undefined` when it tells of the past, and
   * `offset` how much text there was.
   */
  take(frame: StepFrame, at: number | undefined, offset = 0): void {
    const change = this.#change(frame, at, offset);
    if (change === undefined) return;
    this.#nodes.set(change.id, change);
    this.#steps = undefined;
  }

  /** Adds the steps of the past in their order: some of them may be known, and later ones with them. */
  takePast(frames: readonly StepFrame[]): void {
    const positions = new Map<string, number>();
    for (const frame of frames) {
      this.take(frame, undefined);
      const id = idOfBegin(frame);
      const node = this.#nodes.get(id ?? '');
      if (node === undefined) continue;
      if (!positions.has(node.id)) positions.set(node.id, positions.size);
      const offset = 'text_offset' in frame ? frame.text_offset : undefined;
      if (offset !== undefined) this.#nodes.set(node.id, { ...node, offset });
    }
    const positionOf = (id: string) => positions.get(id) ?? positions.size;
    for (const siblings of this.#children.values()) siblings.sort((one, other) => positionOf(one) - positionOf(other));
    this.#steps = undefined;
  }

  #change(frame: StepFrame, at: number | undefined, offset: number): Node | undefined {
    if (frame.type === 'sub_agent_step_start') return this.#beginCall(frame, at, offset);
    if (frame.type === 'sub_agent_step_done') return this.#endCall(frame, at);
    if (frame.type === 'sub_agent_start') return this.#beginAgent(frame, at, offset);
    if (frame.type === 'sub_agent_done') return this.#endAgent(frame, at);
    return frame.type === 'approval_requested' ? this.#awaitApproval(frame, offset) : this.#decide(frame);
  }

  // An approved call begins after its wait was shown.
  #beginCall(frame: CallBegin, at: number | undefined, offset: number): CallStep | undefined {
    const { task_id: taskId, step_id: id, step_name: name, step_label: label } = frame;
    const known = this.#nodes.get(id);
    if (known?.kind === 'call' && known.approval !== undefined && known.startedAt === undefined) {
      return known.status === 'running' ? { ...known, startedAt: at } : undefined;
    }
    if (!this.#add(taskId, id)) return undefined;
    const times = { startedAt: at, endedAt: undefined };
    return { kind: 'call', id, name, label, status: 'running', ...times, offset, approval: undefined };
  }

  #endCall(frame: ServerFrame<'sub_agent_step_done'>, at: number | undefined): CallStep | undefined {
    const known = this.#nodes.get(frame.step_id);
    if (known?.kind !== 'call' || known.status !== 'running') return undefined;
    return { ...known, status: frame.status, endedAt: at };
  }

  #beginAgent(frame: ServerFrame<'sub_agent_start'>, at: number | undefined, offset: number): Node | undefined {
    if (!this.#add(frame.parent_id, frame.task_id)) return undefined;
    return {
      kind: 'agent',
      id: frame.task_id,
      agentName: frame.agent_name,
      title: frame.task_title,
      subChatId: frame.sub_chat_id,
      status: 'running',
      output: '',
      tokens: 0,
      startedAt: at,
      endedAt: undefined,
      offset,
    };
  }

  #endAgent(frame: ServerFrame<'sub_agent_done'>, at: number | undefined): Node | undefined {
    const known = this.#nodes.get(frame.task_id);
    if (known?.kind !== 'agent' || known.status !== 'running') return undefined;
    const tokens = frame.usage.input_tokens + frame.usage.output_tokens;
    return { ...known, status: frame.status, output: frame.output, tokens, endedAt: at };
  }

  #awaitApproval(frame: ServerFrame<'approval_requested'>, offset: number): CallStep | undefined {
    const { approval_id: approvalId, step_id: id, expires_at: expiresAt } = frame;
    if (this.#callOfApproval.has(approvalId)) return undefined;
    const known = this.#nodes.get(id);
    const call = known?.kind === 'call' ? known : this.#beginCall(frame, undefined, offset);
    if (call === undefined) return undefined;
    this.#callOfApproval.set(approvalId, id);
    // One whose approval is requested again had begun.
    return { ...call, startedAt: undefined, approval: { id: approvalId, status: 'pending', expiresAt } };
  }

  #decide(frame: ServerFrame<'approval_decided'>): CallStep | undefined {
    const { approval_id: id } = frame;
    const known = this.#nodes.get(this.#callOfApproval.get(id) ?? '');
    if (known?.kind !== 'call' || known.approval?.id !== id || known.approval.status !== 'pending') return undefined;
    return { ...known, approval: { ...known.approval, status: frame.status } };
  }

  // Returns false when the step is known already, or is one too many.
  #add(parentId: string, id: string): boolean {
    if (this.#nodes.has(id) || this.#nodes.size >= MAX_STEPS) return false;
    const siblings = this.#children.get(parentId);
    if (siblings === undefined) this.#children.set(parentId, [id]);
    else siblings.push(id);
    return true;
  }

  #below(parentId: string): readonly Step[] {
    return (this.#children.get(parentId) ?? []).flatMap((id) => {
      const node = this.#nodes.get(id);
      if (node === undefined) return [];
      return [node.kind === 'agent' ? { ...node, steps: this.#below(id) } : node];
    });
  }
}

// A sub-agent is known by its task, not by the call that began it.
function idOfBegin(frame: StepFrame): string | undefined {
  if (frame.type === 'sub_agent_start') return frame.task_id;
  return frame.type === 'sub_agent_step_start' || frame.type === 'approval_requested' ? frame.step_id : undefined;
}

/** Steps that were taken in a row, and the text that was said before them. */
interface TextPart {
  readonly text: string;
  readonly steps: readonly Step[];
}

/** Returns the steps of an answer with the text before them, in the order in which both were told, and what follows. */
export function partsOf(text: string, steps: readonly Step[]): { parts: readonly TextPart[]; rest: string } {
  const parts: { text: string; steps: Step[] }[] = [];
  let shown = 0;
  for (const step of steps) {
    const last = parts.at(-1);
    const said = text.slice(shown, step.offset);
    if (last !== undefined && said.trim() === '') last.steps.push(step);
    else parts.push({ text: said, steps: [step] });
    shown = Math.max(shown, Math.min(step.offset, text.length));
  }
  return { parts, rest: text.slice(shown) };
}
