import type { Database } from '../../db/core/database.ts';
import type { AnnouncedEvent } from '../../db/stream/wire.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import type { ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn } from '../../db/turns/steps/finish-turn.ts';
import { storeStep } from '../../db/turns/steps/store-step.ts';
import type { StepEvent } from '../../domain/events.ts';
import { joinAnswer, separatorAfter } from '../../domain/turns.ts';
import { AgentFixture, type CallFixture, ToolFixture } from './call-fixture.ts';
import { insertAgent, insertChat, insertOrg, insertUser } from './rows.ts';

/** The part of a worker: it takes turns by the worker's own operations, and returns what a worker would announce. */
export class ChatFixture {
  readonly database: Database;
  readonly ref: { readonly orgId: string; readonly chatId: string };
  readonly userId: string;
  readonly agentId: string;

  /** Takes a chat that exists. */
  constructor(database: Database, ids: Pick<ChatFixture, 'ref' | 'userId' | 'agentId'>) {
    this.database = database;
    this.ref = ids.ref;
    this.userId = ids.userId;
    this.agentId = ids.agentId;
  }

  /** Creates a chat in an organization of its own, of a user who is no member there. */
  static async create(database: Database): Promise<ChatFixture> {
    const orgId = await insertOrg(database);
    const userId = await insertUser(database);
    const agentId = await insertAgent(database, orgId);
    const chatId = await insertChat(database, { orgId, userId, agentId });
    return new ChatFixture(database, { ref: { orgId, chatId }, userId, agentId });
  }

  async accept(): Promise<void> {
    const { orgId, chatId } = this.ref;
    const owner = { orgId, userId: this.userId };
    await acceptMessage(this.database, owner, { chatId, content: 'x', clientMessageId: undefined });
  }

  /** Begins a step of the oldest open turn, for the first time or again; `texts` are those of the steps before. */
  async begin(texts: readonly string[] = []): Promise<StepFixture> {
    return new StepFixture(this, await this.claim(this.ref.chatId), { before: texts });
  }

  /** Claims the oldest open turn of one of the organization's chats. */
  async claim(chatId: string): Promise<ClaimedTurn & { readonly chatId: string }> {
    const turn = await claimTurn(this.database, { orgId: this.ref.orgId, chatId });
    if (turn === undefined) throw new Error('no turn is open');
    return { ...turn, chatId };
  }
}

/** One attempt at a step of a turn. */
export class StepFixture {
  readonly chat: ChatFixture;
  readonly chatId: string;
  readonly turnId: string;
  readonly turnSeq: number;
  readonly afterSeq: number;
  text = '';
  readonly #attempt: number;
  readonly #step: number;
  readonly #before: readonly string[];
  readonly #baseLength: number;
  // The step whose viewers are told of what a sub-agent does.
  readonly #root: StepFixture | undefined;
  readonly #calls: CallFixture[] = [];
  #subChatIds = new Map<string, string | null>();
  #nextSeq: number;
  #streamed = '';

  constructor(
    chat: ChatFixture,
    { id, chatId, seq, afterSeq, attempt, step }: Awaited<ReturnType<ChatFixture['claim']>>,
    { before = [], root }: { readonly before?: readonly string[]; readonly root?: StepFixture },
  ) {
    this.chat = chat;
    this.chatId = chatId;
    this.#root = root;
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

  /** Names the attempt in what is stored of it. */
  get ref() {
    return { orgId: this.chat.ref.orgId, turnId: this.turnId, attempt: this.#attempt, step: this.#step };
  }

  /** Adds text. It is stored, but no notification is sent: the test decides which are delivered, and when. */
  async say(text: string): Promise<AnnouncedEvent> {
    const separator = this.#streamed === '' ? separatorAfter(joinAnswer(this.#before)) : '';
    const offset = this.#baseLength + this.#streamed.length;
    const announced = this.#announce({ type: 'chunk', offset, text: separator + text });
    this.#streamed += separator + text;
    this.text += text;
    await this.chat.database.stream.query(
      'insert into turn_events (turn_id, attempt, seq, org_id, event) values ($1, $2, $3, $4, $5)',
      [this.turnId, this.#attempt, announced.seq, this.ref.orgId, JSON.stringify(announced.event)],
    );
    return announced;
  }

  /** Plans a call of a tool, which `store` stores. */
  planTool(): ToolFixture {
    const call = new ToolFixture(this);
    this.#calls.push(call);
    return call;
  }

  /** Plans a call that hands work to a sub-agent, which `store` stores. */
  planAgent(): AgentFixture {
    const call = new AgentFixture(this);
    this.#calls.push(call);
    return call;
  }

  /** Stores the step with the calls that were planned. */
  async store(): Promise<void> {
    const stored = await storeStep(this.chat.database, this.ref, {
      text: this.text,
      rawText: null,
      state: null,
      usage: undefined,
      calls: this.#calls.map(({ planned }) => planned),
    });
    if (stored === undefined) throw new Error('another attempt or step has begun');
    this.#subChatIds = new Map(stored.calls.map(({ id, subChatId }) => [id, subChatId]));
  }

  /** Stores the step with one call of a tool. */
  async storeTool(): Promise<ToolFixture> {
    const tool = this.planTool();
    await this.store();
    return tool;
  }

  /** Begins the turn of the sub-agent that answers a stored call. */
  async beginBelow(callId: string): Promise<StepFixture> {
    const subChatId = this.#subChatIds.get(callId);
    if (typeof subChatId !== 'string') throw new Error('no sub-agent answers the call');
    return new StepFixture(this.chat, await this.chat.claim(subChatId), { root: this.#root ?? this });
  }

  announceStep(event: StepEvent): AnnouncedEvent {
    if (this.#root !== undefined) return this.#root.announceStep(event);
    return { ...this.#announce(event), attempt: 0, seq: 0 };
  }

  async end(callCount = 0): Promise<AnnouncedEvent> {
    const { database, ref, agentId } = this.chat;
    await finishTurn(database, {
      ...ref,
      ...this.ref,
      agentId,
      status: 'completed',
      content: joinAnswer(this.texts),
      metadata: { tool_call_count: callCount },
      providerUsed: null,
      usage: undefined,
      lastText: this.#step > 0 ? this.text : undefined,
      delegationResult: undefined,
      isAttempt: false,
      runId: null,
    });
    return this.#announce({ type: 'turn_end' });
  }

  #announce(event: AnnouncedEvent['event']): AnnouncedEvent {
    const { chatId } = this.chat.ref;
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    const { turnId, turnSeq, afterSeq } = this;
    return { chatId, turnId, turnSeq, afterSeq, attempt: this.#attempt, seq, event };
  }
}
