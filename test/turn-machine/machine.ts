import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { pino } from 'pino';
import { runCall, type ToolDeps } from '../../activities/turns/calls/run-call.ts';
import { blockedReasonOf } from '../../activities/turns/calls/blocked-reason.ts';
import { RunningTurns } from '../../activities/turns/runs/running-turns.ts';
import { type TurnDeps, TurnStep } from '../../activities/turns/turn-step.ts';
import { type CallOutcome, digestOf } from '../../activities/tools/call/execute-call.ts';
import { NOTHING_ELSE, type Tool } from '../../activities/tools/tool.ts';
import { HandOver, NoFreeSlot } from '../../activities/core/failure-interceptor.ts';
import { decideApproval } from '../../db/approvals/decide-approval.ts';
import { deleteChat, restoreChat } from '../../db/chats/delete-chat.ts';
import type { Database } from '../../db/core/database.ts';
import { TurnPublisher } from '../../db/stream/turn-publisher.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { changeQueuedQuestion, withdrawTurn } from '../../db/turns/queued-question.ts';
import type { ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn } from '../../db/turns/steps/finish-turn.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import type { StepRef } from '../../db/turns/steps/step.ts';
import { storeStep } from '../../db/turns/steps/store-step.ts';
import { storeWait } from '../../db/turns/steps/store-wait.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { ChatFixture } from '../support/chat-fixture.ts';
import { type Rows, readRows } from './rows-of-chat.ts';

/** What a model replies with: the end of the turn, calls, or nothing, since every account cools down. */
export type Reply = 'text' | 'cooldown' | readonly PlannedKind[];
export interface PlannedKind {
  readonly effect: 'read' | 'keyed' | 'once';
  readonly asks: boolean;
}

/**
 * How an attempt at a call goes: it ends, its tool has a fault, what it asks refuses it, asks it to wait or would do
 * something else than was approved, its worker hands it over, or dies or freezes before or after the effect.
 */
export type Fate = 'done' | 'fails' | 'refused' | 'busy' | 'changed' | 'handed over' | 'lost before' | 'lost after';

/** An attempt at a call that is under way. */
interface Attempt {
  readonly fate: Fate;
  readonly woken: Promise<void>;
  readonly block: () => void;
  /** What the tool returns to it. */
  readonly result: string;
}

/** Something of a worker that was taken for dead. It may wake up at any time, and then ends what it had begun. */
interface Ghost {
  readonly wake: () => Promise<unknown>;
}

const HOUR_MS = 3_600_000;
const NOBODY = { perUser: 0, perOrg: 0 };

/**
 * One chat, the worker that answers it and the world that its calls change. It uses the operations and activities of
 * the product; the model's replies and what becomes of each attempt are chosen by the commands.
 */
export class Machine {
  readonly database: Database;
  readonly chat: ChatFixture;
  /** How often the effect of each call was there, by its id. */
  readonly effects = new Map<string, number>();
  readonly ghosts: Ghost[] = [];
  readonly #publisher: TurnPublisher;
  readonly #running: RunningTurns;
  /** What becomes of the attempt that runs. */
  readonly #attempt = new AsyncLocalStorage<Attempt>();

  private constructor(database: Database, chat: ChatFixture) {
    this.database = database;
    this.chat = chat;
    this.#publisher = new TurnPublisher(database, () => undefined);
    this.#running = new RunningTurns(database, () => undefined);
  }

  static async create(database: Database): Promise<Machine> {
    const machine = new Machine(database, await ChatFixture.create(database));
    await machine.admit(true);
    return machine;
  }

  get #owner() {
    return { orgId: this.chat.ref.orgId, userId: this.chat.userId };
  }

  async close(): Promise<void> {
    this.#running.close();
    await this.#publisher.drain();
  }

  async rows(): Promise<Rows> {
    return readRows(this.database, this.chat.ref.chatId);
  }

  /** Has the user join the organization, or lose all rights there. */
  async admit(isMember: boolean): Promise<void> {
    const { orgId, userId } = this.#owner;
    const text = isMember
      ? "insert into memberships (org_id, user_id, role) values ($1, $2, 'owner') on conflict do nothing"
      : 'delete from memberships where org_id = $1 and user_id = $2';
    await this.database.system.query(text, [orgId, userId]);
  }

  async send(content: string, clientMessageId: string): Promise<string | undefined> {
    const { chatId } = this.chat.ref;
    const accepted = await refused(acceptMessage(this.database, this.#owner, { chatId, content, clientMessageId }));
    return accepted?.messageId;
  }

  async edit(messageId: string, content: string): Promise<boolean> {
    const question = { chatId: this.chat.ref.chatId, messageId, content, maxBytes: 1e9 };
    return (await refused(changeQueuedQuestion(this.database, this.#owner, question))) !== undefined;
  }

  async withdraw(messageId: string): Promise<boolean> {
    const ids = { chatId: this.chat.ref.chatId, messageId };
    return (await refused(withdrawTurn(this.database, this.#owner, ids))) !== undefined;
  }

  /** Asks the turn to stop; the worker hears it at once, or finds it in the rows. */
  async stop(isHeard: boolean): Promise<string | undefined> {
    const turnId = await refused(requestInterrupt(this.database, this.#owner, this.chat.ref.chatId));
    if (turnId !== undefined && isHeard) this.#running.interrupt(turnId);
    return turnId;
  }

  async decide(approvalId: string, status: 'approved' | 'denied'): Promise<boolean> {
    const { orgId, userId } = this.#owner;
    const decision = { approvalId, userId, status, note: null, editedArguments: null, answer: null, lapsed: [] };
    return (await decideApproval(this.database, orgId, decision)) !== undefined;
  }

  async deleteChat(): Promise<void> {
    await refused(deleteChat(this.database, this.#owner, this.chat.ref.chatId));
  }

  async restoreChat(): Promise<void> {
    await refused(restoreChat(this.database, this.#owner, { chatId: this.chat.ref.chatId, maxChats: 1_000 }));
  }

  /** Has the time of every wait come. */
  async passTime(): Promise<void> {
    await this.database.system.query(
      `update turns set waiting_until = now() where chat_id = $1 and waiting_until is not null`,
      [this.chat.ref.chatId],
    );
  }

  /** Takes the next step of the oldest open turn, as a worker does; returns the calls that are to run. */
  async step(reply: Reply, isLost: boolean): Promise<readonly string[]> {
    const turn = await claimTurn(this.database, this.chat.ref, {});
    if (turn === undefined) return [];
    if (turn.isInterrupted || blockedReasonOf(turn) !== undefined || turn.openCalls.length > 0) {
      const deps = { ...this.#deps(), turnBounds: NOBODY } as unknown as TurnDeps;
      const result = await new TurnStep(deps, this.chat.ref, turn, new AbortController().signal).take();
      return result.next?.kind === 'calls' ? result.next.calls.map(({ id }) => id) : [];
    }
    const ref = { orgId: this.chat.ref.orgId, turnId: turn.id, attempt: turn.attempt, step: turn.step };
    if (!isLost) return (await this.#reply(turn, ref, reply)) ?? [];
    this.ghosts.push({
      wake: async () => {
        const isLate = await this.#isLate(ref);
        const stored = await this.#reply(turn, ref, reply);
        if (isLate) expect(stored).toBeUndefined();
      },
    });
    return [];
  }

  /** Runs an attempt at a call, with its fate; a lost one stays behind as a ghost. */
  async attempt(callId: string, fate: Fate): Promise<void> {
    const cancelled = new AbortController();
    if (fate === 'handed over') cancelled.abort(new HandOver());
    const cancellation = { cancelled: cancelled.signal, isShutdown: () => false };
    const { orgId } = this.chat.ref;
    const lost = Promise.withResolvers<'lost'>();
    const woken = Promise.withResolvers<void>();
    const attempt = { fate, woken: woken.promise, block: () => lost.resolve('lost'), result: randomUUID() };
    const deps = this.#deps() as unknown as ToolDeps;
    const run = this.#attempt
      .run(attempt, async () => runCall(deps, { orgId, callId }, cancellation))
      .catch((error: unknown) => {
        if (!(error instanceof HandOver) && !(error instanceof NoFreeSlot) && !(error instanceof Broken)) throw error;
      });
    if ((await Promise.race([run, lost.promise])) !== 'lost') return;
    const began = await this.#callOf(callId);
    this.ghosts.push({
      wake: async () => {
        const isLate = (await this.#callOf(callId))?.attempt !== began?.attempt;
        woken.resolve();
        await run;
        if (isLate) expect((await this.#callOf(callId))?.result).not.toBe(attempt.result);
      },
    });
  }

  async #callOf(callId: string): Promise<{ readonly attempt: number; readonly result: string | null } | undefined> {
    const text = 'select attempt, result from tool_calls where id = $1';
    return (await this.database.system.query<{ attempt: number; result: string | null }>(text, [callId])).rows[0];
  }

  /** Whether another attempt or step of the turn has begun, or it has ended. */
  async #isLate({ turnId, attempt, step }: StepRef): Promise<boolean> {
    const text = `select from turns where id = $1 and attempt = $2 and step = $3 and status = 'running'`;
    return (await this.database.system.query(text, [turnId, attempt, step])).rows.length === 0;
  }

  /** Stores what the model has replied; returns the calls that are to run, undefined when nothing was stored. */
  async #reply(turn: ClaimedTurn, ref: StepRef, reply: Reply): Promise<readonly string[] | undefined> {
    if (reply === 'cooldown') return (await storeWait(this.database, ref, new Date(Date.now() + HOUR_MS))) && [];
    if (reply === 'text') {
      const end = { ...ref, ...ANSWER, ...this.chat.ref, agentId: turn.agent.id };
      return (await finishTurn(this.database, end)) && [];
    }
    const stored = await storeStep(this.database, ref, {
      text: '',
      rawText: null,
      state: null,
      usage: undefined,
      calls: reply.map(plan),
    });
    return stored?.calls.filter(({ approval }) => approval === null).map(({ id }) => id);
  }

  #deps() {
    return {
      database: this.database,
      publisher: this.#publisher,
      runningTurns: this.#running,
      log: pino({ level: 'silent' }),
      turnBounds: NOBODY,
      callBounds: NOBODY,
      approvalWaitMs: HOUR_MS,
      toolsetFor: async () => ({ find: () => this.#tool() }),
    };
  }

  #tool(): Pick<Tool, 'key' | 'inline' | 'parameters' | 'run'> {
    return {
      key: 'change_world',
      inline: false,
      parameters: { type: 'object' },
      run: async ({ id }, { signal, approved }) => {
        const attempt = this.#attempt.getStore();
        const lose = async (when: Fate) => {
          if (attempt?.fate !== when) return;
          attempt.block();
          await attempt.woken;
        };
        await lose('lost before');
        signal.throwIfAborted();
        if (attempt?.fate === 'fails') throw new Broken('the tool has a fault');
        const unmade = unmadeBy(attempt?.fate, approved !== undefined);
        if (unmade !== undefined) return unmade;
        this.effects.set(String(id), (this.effects.get(String(id)) ?? 0) + 1);
        await lose('lost after');
        return { status: 'success', result: attempt?.result ?? '' };
      },
    };
  }
}

/** An error that nobody has foreseen. */
class Broken extends Error {
  override readonly name = 'Broken';
}

/** Returns what is told of a call that is not made; undefined when it is. */
function unmadeBy(fate: Fate | undefined, isApproved: boolean): CallOutcome | undefined {
  const refused = { status: 'error', result: 'not made' } as const;
  if (fate === 'busy') return { ...refused, waitMs: 1_000 };
  if (fate === 'changed' && isApproved) return { ...refused, changed: NOTHING_ELSE };
  return fate === 'refused' ? refused : undefined;
}

const ANSWER = {
  status: 'completed',
  content: 'answer',
  metadata: {},
  providerUsed: null,
  usage: undefined,
  lastText: 'answer',
  delegationResult: undefined,
  isAttempt: false,
  runId: null,
} as const;

function plan({ effect, asks }: PlannedKind) {
  const id = randomUUID();
  const call = { id, name: 'change_world', label: 'Change', arguments: { id }, effect };
  const asked = {
    id: randomUUID(),
    expiresAt: new Date(Date.now() + HOUR_MS),
    parameters: null,
    details: [],
    digest: digestOf(NOTHING_ELSE),
  };
  return { ...call, outcome: undefined, delegation: undefined, ...(asks && { approval: asked }) };
}

/** Returns what an operation has done; undefined when it was refused in words. */
async function refused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
