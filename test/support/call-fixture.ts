import { randomUUID } from 'node:crypto';
import type { AnnouncedEvent } from '../../db/stream/wire.ts';
import { beginCall, type BegunCall } from '../../db/turns/calls/begin-call.ts';
import { closeCall } from '../../db/turns/calls/close-call.ts';
import { finishTurn } from '../../db/turns/steps/finish-turn.ts';
import type { storeStep } from '../../db/turns/steps/store-step.ts';
import type { StepStart } from '../../domain/events.ts';
import type { FinalCallStatus } from '../../domain/tool-calls/tool-call.ts';
import type { StepFixture } from './chat-fixture.ts';
import { usageOf } from './step-usage.ts';

type PlannedCall = Parameters<typeof storeStep>[2]['calls'][number];

/** A call that has begun, and what a worker announces then. */
interface BegunStep {
  readonly start: StepStart;
  readonly announced: AnnouncedEvent;
}

/** A call of a step: of a tool, or to a sub-agent. */
export type CallFixture = ToolFixture | AgentFixture;

/** A call of a tool. */
export class ToolFixture {
  readonly id = randomUUID();
  readonly #step: StepFixture;
  #begun: BegunCall | undefined;

  constructor(step: StepFixture) {
    this.#step = step;
  }

  get planned(): PlannedCall {
    const call = { id: this.id, name: 'time_now', label: 'Time', arguments: {}, effect: 'read' as const };
    return { ...call, outcome: undefined, delegation: undefined };
  }

  async begin(): Promise<BegunStep & { readonly below?: undefined }> {
    const { chat, turnId } = this.#step;
    this.#begun = await beginCall(chat.database, { orgId: chat.ref.orgId, callId: this.id });
    const start = { type: 'step_start', taskId: turnId, stepId: this.id, name: 'time_now', label: 'Time' } as const;
    return { start, announced: this.#step.announceStep(start) };
  }

  async end(status: FinalCallStatus = 'success'): Promise<AnnouncedEvent> {
    if (this.#begun === undefined) throw new Error('the call has not begun, or has a result');
    const { chat, turnId } = this.#step;
    await closeCall(chat.database, chat.ref.orgId, this.#begun, { status, result: 'noon' });
    return this.#step.announceStep({ type: 'step_done', taskId: turnId, stepId: this.id, status });
  }
}

/** A call to a sub-agent, and the sub-agent's turn. */
export class AgentFixture {
  readonly id = randomUUID();
  readonly #step: StepFixture;
  #below: StepFixture | undefined;

  constructor(step: StepFixture) {
    this.#step = step;
  }

  get planned(): PlannedCall {
    const { agentId } = this.#step.chat;
    const call = { id: this.id, name: 'agent_spawn', label: 'Look', arguments: {}, effect: 'agent' as const };
    const delegation = { agentId, title: 'Look', message: 'Look', timeLimitSeconds: 3_600, modelTags: null };
    return { ...call, outcome: undefined, delegation };
  }

  /** Begins the sub-agent's turn; `below` is its first step. */
  async begin(): Promise<BegunStep & { readonly below: StepFixture }> {
    const below = await this.#step.beginBelow(this.id);
    this.#below = below;
    const who = { taskId: below.turnId, stepId: this.id, parentId: this.#step.turnId, agentName: 'Ada' };
    const start = { type: 'sub_agent_start', ...who, title: 'Look', subChatId: below.chatId } as const;
    return { start, announced: this.#step.announceStep(start), below };
  }

  /** Ends the sub-agent's turn, which hands its output back. */
  async end(output = 'found'): Promise<AnnouncedEvent> {
    const below = this.#below;
    if (below === undefined) throw new Error('the sub-agent has not begun');
    const usage = { inputTokens: 21, outputTokens: 2 };
    await finishTurn(below.chat.database, {
      ...below.ref,
      chatId: below.chatId,
      agentId: below.chat.agentId,
      status: 'completed',
      content: output,
      metadata: {},
      providerUsed: null,
      usage: usageOf(usage),
      lastText: undefined,
      delegationResult: { status: 'success', result: output },
      isAttempt: false,
      runId: null,
    });
    const ended = {
      taskId: below.turnId,
      stepId: this.id,
      agentName: 'Ada',
      status: 'success',
      output,
      usage,
    } as const;
    return this.#step.announceStep({ type: 'sub_agent_done', ...ended });
  }
}
