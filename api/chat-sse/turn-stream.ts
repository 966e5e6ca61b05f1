import { modelText } from '../../db/chats/messages.ts';
import type { Database } from '../../db/core/database.ts';
import { type EndedTurn, findEndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { readTurnSteps } from '../../db/turns/progress/turn-steps.ts';
import type { ApprovalEvent, StepEvent } from '../../domain/events.ts';
import type { Membership } from '../../domain/orgs.ts';
import { AGENT_SPAWN, type FinalCallStatus } from '../../domain/tool-calls/tool-call.ts';
import { formatEndId, formatEventId, ViewerCursor } from '../chat-feed/viewer-cursor.ts';
import { failureText, presentMessage } from '../chats/schema.ts';
import type { ChatSubscriptions, CursorPosition, Viewer } from '../context/subscriptions.ts';
import type { SseReply } from '../http/sse-reply.ts';
import type { EventData, EventName } from './turn-event.ts';

interface StreamTarget {
  readonly chatId: string;
  readonly turnId: string;
  readonly messageId: string;
  /** The position that the reader had reached on an earlier connection. */
  readonly resumeFrom: CursorPosition | undefined;
}

interface TurnStreamDeps {
  readonly database: Database;
  readonly chats: ChatSubscriptions;
}

/** Sends one turn as server-sent events, from the reader's position to its end, whenever that is. */
export class TurnEventStream implements Viewer {
  readonly #reply: SseReply;
  readonly #turn: StreamTarget;
  readonly #toolCalls: ToolCallEvents;
  readonly #sentApprovals = new Set<string>();
  #past: readonly StepEvent[] = [];
  // Events that arrive between subscribing and sending the head of the reply.
  #early: (() => void)[] | undefined = [];
  #unsubscribe: () => void = () => undefined;
  #hasEnded = false;
  #shownTo: CursorPosition | undefined;

  constructor(reply: SseReply, turn: StreamTarget) {
    this.#reply = reply;
    this.#turn = turn;
    this.#toolCalls = new ToolCallEvents(turn.turnId);
  }

  /**
   * Opens the reply and shows the known part of the turn; the rest follows live. Throws before it has opened the reply.
   */
  async start({ database, chats }: TurnStreamDeps, { orgId }: Membership): Promise<void> {
    const { chatId, turnId, messageId, resumeFrom } = this.#turn;
    // Subscribed before the rows are read, so that the end cannot fall between the two.
    this.#unsubscribe = await chats.subscribe({ orgId, chatId }, () => this, resumeFrom);
    const ended = await this.#readRows(database, orgId);
    this.#reply.closed.signal.addEventListener('abort', () => this.#unsubscribe());
    this.#reply.open();
    const position = resumeFrom ?? { turnId, length: 0, crc: 0 };
    const start = { chat_id: chatId, turn_id: turnId, message_id: messageId };
    this.#send('stream_start', start, formatEventId(position));
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const show of early) show();
    // While calls are shown as running, the feed will announce their ends, and then the turn's.
    if (ended !== undefined && !this.#toolCalls.hasOpen) this.#showStored(ended);
    else this.#showPast();
  }

  onChunk(text: string, position: CursorPosition): void {
    if (position.turnId !== this.#turn.turnId) return;
    this.#shownTo = position;
    this.#whenOpen(() => this.#send('chunk', { content: text }, formatEventId(position)));
  }

  onStep(turnId: string, step: StepEvent): void {
    if (turnId === this.#turn.turnId) this.#whenOpen(() => this.#sendStep(step));
  }

  onEnd(turn: EndedTurn): void {
    if (turn.id === this.#turn.turnId) this.#whenOpen(() => this.#end(turn));
  }

  // It is unknown which calls a resuming reader has missed: steps have no position.
  async #readRows(database: Database, orgId: string): Promise<EndedTurn | undefined> {
    const { turnId, resumeFrom } = this.#turn;
    try {
      const ended = await findEndedTurn(database, orgId, turnId);
      const steps = await readTurnSteps(database, resumeFrom === undefined ? [] : [turnId]);
      this.#past = steps.get(turnId) ?? [];
      return ended;
    } catch (error) {
      this.#unsubscribe();
      throw error;
    }
  }

  #whenOpen(show: () => void): void {
    if (this.#early === undefined) show();
    else this.#early.push(show);
  }

  // Without an id: the reader resumes from the text it has.
  #sendStep(step: StepEvent): void {
    if (isApprovalStep(step)) {
      const key = `${step.stepId} ${step.type}`;
      if (!this.#sentApprovals.has(key)) this.#send('approval', presentApproval(step));
      this.#sentApprovals.add(key);
      return;
    }
    const call = this.#toolCalls.present(step);
    if (call !== undefined) this.#send('tool_call', call);
  }

  #showPast(): void {
    const past = this.#past;
    this.#past = [];
    for (const step of past) this.#sendStep(step);
  }

  // The turn ended before the subscription began, or just then: its stored answer replaces the rest of the stream.
  #showStored(turn: EndedTurn): void {
    if (this.#hasEnded) return;
    const cursor = new ViewerCursor(this.#shownTo ?? this.#turn.resumeFrom);
    const rest = cursor.advance({ turnId: turn.id, attempt: 0, text: modelText(turn.answer) });
    if (rest !== '' && cursor.position !== undefined) this.onChunk(rest, cursor.position);
    this.#end(turn);
  }

  #end(turn: EndedTurn): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#showPast();
    this.#unsubscribe();
    // A reader that connects again by itself, as browsers do, is answered by this id that nothing follows.
    const id = formatEndId(this.#shownTo ?? this.#turn.resumeFrom ?? { turnId: turn.id, length: 0, crc: 0 });
    if (turn.status === 'failed') this.#send('error', { message: failureText(turn.answer) }, id);
    else this.#send('stream_end', { message: presentMessage(turn.answer) }, id);
    this.#reply.end();
  }

  #send<K extends EventName>(event: K, data: EventData<K>, id?: string): void {
    this.#reply.send(event, data, id);
  }
}

type ToolCallData = EventData<'tool_call'>;

/** Sends the tool calls of one turn's own agent to one reader. Steps of sub-agents are left out. */
export class ToolCallEvents {
  readonly #turnId: string;
  // A call that has ended is null: its end is sent once, even when it is read again.
  readonly #calls = new Map<string, { readonly name: string; readonly label: string } | null>();

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  get hasOpen(): boolean {
    return [...this.#calls.values()].some((call) => call !== null);
  }

  /** Returns the event for a step of a call; `undefined` when there is none or it was already sent. */
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

/** Returns whether a step is the wait of a call for a decision. */
function isApprovalStep(step: StepEvent): step is ApprovalEvent {
  return step.type === 'approval_requested' || step.type === 'approval_decided';
}

/** Returns the event for a call that waits for a decision, or waits no longer; of the agent or a sub-agent. */
function presentApproval(step: ApprovalEvent): EventData<'approval'> {
  const { stepId: approval_id, taskId: task_id } = step;
  if (step.type === 'approval_decided') return { approval_id, task_id, status: step.status };
  const { callId: step_id, chatId: chat_id, agentName: agent_name, name, label, expiresAt: expires_at } = step;
  return { approval_id, task_id, status: 'pending', call: { step_id, chat_id, agent_name, name, label, expires_at } };
}
