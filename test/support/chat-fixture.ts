import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/core/index.ts';
import type { AnnouncedEvent } from '../../db/stream/index.ts';
import { acceptMessage, type ClaimedTurn, claimTurn, finishTurn } from '../../db/turns/index.ts';
import type { StepEvent, StepStart } from '../../domain/events/index.ts';
import type { FinalCallStatus } from '../../domain/tool-calls/index.ts';
import { joinAnswer, separatorAfter } from '../../domain/turns/index.ts';

/** The turn of the agent that takes a step. */
interface Caller {
  readonly turnId: string;
  readonly ancestorIds: readonly string[];
}

/** The part of a worker: it stores turns, their events and steps, and returns what it would announce. */
export class ChatFixture {
  readonly database: Database;
  readonly place = { orgId: randomUUID(), chatId: randomUUID() };
  readonly userId = randomUUID();
  readonly agentId = randomUUID();

  constructor(database: Database) {
    this.database = database;
  }

  async create(): Promise<this> {
    const { orgId, chatId } = this.place;
    const { system } = this.database;
    await system.query('insert into users (id, email) values ($1, $2)', [this.userId, this.userId]);
    await system.query("insert into orgs (id, name) values ($1, 'o')", [orgId]);
    await system.query(
      `insert into agents (id, org_id, name, agent_type, temperature, max_tokens, max_subagents, max_concurrency)
       values ($1, $2, 'Ada', 'general', 0, 1, 1, 1)`,
      [this.agentId, orgId],
    );
    await this.addChat(chatId, null);
    return this;
  }

  async addChat(id: string, parentId: string | null): Promise<void> {
    await this.database.system.query(
      "insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id) values ($1, $2, $3, $4, 't', $5)",
      [id, this.place.orgId, this.userId, this.agentId, parentId],
    );
  }

  async accept(): Promise<void> {
    const { orgId, chatId } = this.place;
    const owner = { orgId, userId: this.userId };
    await acceptMessage(this.database, owner, { chatId, content: 'x', clientMessageId: undefined });
  }

  /** Begins a step of the oldest open turn, for the first time or again; `texts` are those of the steps before. */
  async begin(texts: readonly string[] = []): Promise<StepFixture> {
    const turn = await claimTurn(this.database, this.place);
    if (turn === undefined) throw new Error('no turn is open');
    return new StepFixture(this, turn, texts);
  }
}

/** One attempt at a step of a turn. */
export class StepFixture implements Caller {
  readonly turnId: string;
  readonly turnSeq: number;
  readonly afterSeq: number;
  readonly ancestorIds = [];
  text = '';
  readonly #chat: ChatFixture;
  readonly #attempt: number;
  readonly #step: number;
  readonly #before: readonly string[];
  readonly #baseLength: number;
  #nextSeq: number;
  #streamed = '';
  #position = 0;

  constructor(
    chat: ChatFixture,
    { id, seq, afterSeq, attempt, step }: Pick<ClaimedTurn, 'id' | 'seq' | 'afterSeq' | 'attempt' | 'step'>,
    before: readonly string[],
  ) {
    this.#chat = chat;
    this.turnId = id;
    this.turnSeq = seq;
    this.afterSeq = afterSeq;
    this.#attempt = attempt;
    this.#step = step;
    this.#before = before;
    this.#baseLength = joinAnswer(before).length;
    this.#nextSeq = step * 1_000_000;
  }

  /** The texts of all steps so far. */
  get texts(): readonly string[] {
    return [...this.#before, this.text];
  }

  async say(text: string): Promise<AnnouncedEvent> {
    const separator = this.#streamed === '' ? separatorAfter(joinAnswer(this.#before)) : '';
    const offset = this.#baseLength + this.#streamed.length;
    const announced = this.#announce({ type: 'chunk', offset, text: separator + text });
    this.#streamed += separator + text;
    this.text += text;
    await this.#database.stream.query(
      'insert into turn_events (turn_id, attempt, seq, org_id, event) values ($1, $2, $3, $4, $5)',
      [this.turnId, this.#attempt, announced.seq, this.#orgId, JSON.stringify(announced.event)],
    );
    return announced;
  }

  /** Stores the step: it led to calls. */
  async store(): Promise<void> {
    await this.#database.system.query('insert into model_steps (turn_id, step, org_id, text) values ($1, $2, $3, $4)', [
      this.turnId,
      this.#step,
      this.#orgId,
      this.text,
    ]);
  }

  async beginCall(caller: Caller = this): Promise<{ start: StepStart; announced: AnnouncedEvent }> {
    const stepId = await this.#insertCall(caller, 'read');
    const start = { type: 'step_start', taskId: caller.turnId, stepId, name: 'time_now', label: 'Time' } as const;
    return { start, announced: this.announceStep(start) };
  }

  async endCall(start: StepStart, status: FinalCallStatus = 'success'): Promise<AnnouncedEvent> {
    await this.#closeCall(start.stepId, status);
    return this.announceStep({ type: 'step_done', taskId: start.taskId, stepId: start.stepId, status });
  }

  /** Begins a sub-agent; the caller of its steps is answered too. */
  async beginAgent(caller: Caller = this): Promise<{ start: StepStart; announced: AnnouncedEvent; agent: Caller }> {
    const { agentId, userId, place } = this.#chat;
    const [taskId, subChatId] = [randomUUID(), randomUUID()];
    const ancestorIds = [...caller.ancestorIds, caller.turnId];
    await this.#chat.addChat(subChatId, place.chatId);
    const stepId = await this.#insertCall(caller, 'agent');
    const { system } = this.#database;
    await system.query(
      `insert into turns (id, org_id, chat_id, user_id, status, parent_turn_id, ancestor_ids)
       values ($1, $2, $3, $4, 'running', $5, $6)`,
      [taskId, place.orgId, subChatId, userId, caller.turnId, ancestorIds],
    );
    await system.query(
      `insert into tasks (id, org_id, chat_id, title, assigned_agent_id, parent_turn_id, call_id, sub_chat_id)
       values ($1, $2, $3, 'Look', $4, $5, $6, $7)`,
      [taskId, place.orgId, place.chatId, agentId, caller.turnId, stepId, subChatId],
    );
    const who = { taskId, stepId, parentId: caller.turnId, agentName: 'Ada' };
    const start = { type: 'sub_agent_start', ...who, title: 'Look', subChatId } as const;
    return { start, announced: this.announceStep(start), agent: { turnId: taskId, ancestorIds } };
  }

  async endAgent({ taskId, stepId }: StepStart, output = 'found'): Promise<AnnouncedEvent> {
    const { system } = this.#database;
    await system.query(
      `insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated)
       select t.id, used.step, t.org_id, t.chat_id, t.user_id, 'm', 10 + used.step, 1, false
       from turns t, generate_series(0, 1) as used (step) where t.id = $1`,
      [taskId],
    );
    await system.query("update tasks set status = 'completed', output = $2 where id = $1", [taskId, output]);
    await system.query("update turns set status = 'completed', ended_at = now() where id = $1", [taskId]);
    await this.#closeCall(stepId, 'success');
    const usage = { inputTokens: 21, outputTokens: 2 };
    return this.announceStep({
      type: 'sub_agent_done',
      taskId,
      stepId,
      agentName: 'Ada',
      status: 'success',
      output,
      usage,
    });
  }

  announceStep(event: StepEvent): AnnouncedEvent {
    return { ...this.#announce(event), attempt: 0, seq: 0 };
  }

  async end(callCount = 0): Promise<AnnouncedEvent> {
    const { place, agentId } = this.#chat;
    await finishTurn(this.#database, {
      ...place,
      turnId: this.turnId,
      attempt: this.#attempt,
      step: this.#step,
      agentId,
      status: 'completed',
      content: joinAnswer(this.texts),
      metadata: { tool_call_count: callCount },
      providerUsed: null,
      usage: undefined,
      lastText: this.#step > 0 ? this.text : undefined,
      delegationResult: undefined,
    });
    return this.#announce({ type: 'turn_end' });
  }

  get #database(): Database {
    return this.#chat.database;
  }

  get #orgId(): string {
    return this.#chat.place.orgId;
  }

  async #insertCall({ turnId }: Caller, effect: 'read' | 'agent'): Promise<string> {
    const id = randomUUID();
    await this.#database.system.query(
      `insert into tool_calls (id, org_id, turn_id, step, position, name, label, arguments, effect, status, started_at)
       values ($1, $2, $3, $4, $5, $6, $7, '{}', $8, 'running', clock_timestamp())`,
      [
        id,
        this.#orgId,
        turnId,
        this.#step,
        this.#position,
        effect === 'agent' ? 'agent_spawn' : 'time_now',
        effect === 'agent' ? 'Look' : 'Time',
        effect,
      ],
    );
    this.#position += 1;
    return id;
  }

  async #closeCall(id: string, status: FinalCallStatus): Promise<void> {
    await this.#database.system.query('update tool_calls set status = $2, ended_at = clock_timestamp() where id = $1', [
      id,
      status,
    ]);
  }

  #announce(event: AnnouncedEvent['event']): AnnouncedEvent {
    const { chatId } = this.#chat.place;
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    const { turnId, turnSeq, afterSeq } = this;
    return { chatId, turnId, turnSeq, afterSeq, attempt: this.#attempt, seq, event };
  }
}
