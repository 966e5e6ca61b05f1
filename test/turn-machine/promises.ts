import { expect } from '@jest/globals';
import type { Machine } from './machine.ts';
import type { CallRow, Rows, TurnRow } from './rows-of-chat.ts';

const OPEN = new Set(['queued', 'running']);
const OPEN_CALLS = new Set(['planned', 'running']);
/** What the ledger says of calls that have changed nothing. */
const UNDONE = new Set(['interrupted']);
const NOT_ALLOWED = new Set(['pending', 'denied', 'expired', 'cancelled']);

/** What must be true of the chat, as far as the commands have brought it. */
export class Promises {
  /** The text that each accepted message has, by its `client_message_id`. */
  readonly questions = new Map<string, string>();
  /** What was read of turns and calls that have ended: they do not change any more. */
  readonly #ended = new Map<string, unknown>();
  readonly #attempts = new Map<string, number>();
  readonly #decided = new Map<string, string>();

  /** Checks all of it. */
  async check(machine: Machine): Promise<Rows> {
    const rows = await machine.rows();
    this.#noMessageIsLost(rows);
    this.#inOrder(rows);
    for (const turn of rows.turns) this.#ofTurn(turn, rows);
    for (const call of rows.calls) this.#ofCall(call, machine.effects.get(call.id) ?? 0);
    return rows;
  }

  #noMessageIsLost({ turns }: Rows): void {
    expect(new Set(turns.map(({ question }) => question))).toEqual(new Set(this.questions.values()));
    expect(turns).toHaveLength(this.questions.size);
    expect(turns.map(({ questions }) => questions)).toEqual(turns.map(() => 1));
  }

  // One turn runs at a time, and none before those that were accepted earlier have ended.
  #inOrder({ turns }: Rows): void {
    const running = turns.flatMap(({ status }, index) => (status === 'running' ? [index] : []));
    expect(running.length).toBeLessThanOrEqual(1);
    const before = turns.slice(0, running[0] ?? 0);
    expect(before.filter(({ status }) => OPEN.has(status))).toEqual([]);
  }

  #ofTurn(turn: TurnRow, { calls }: Rows): void {
    const isOpen = OPEN.has(turn.status);
    expect({ ...turn, answers: turn.answers.length }).toMatchObject({ answers: isOpen ? 0 : 1 });
    expect(turn.attempt).toBeGreaterThanOrEqual(this.#attempts.get(turn.id) ?? 0);
    this.#attempts.set(turn.id, turn.attempt);
    expect(turn.isQuestionExcluded).toBe(turn.isWithdrawn);
    if (turn.isWithdrawn) expect(turn).toMatchObject({ status: 'interrupted', attempt: 0 });
    if (isOpen) return;
    this.#stays(turn.id, { ...turn, isWaiting: false });
    const open = calls.filter((call) => call.turnId === turn.id && isUndecided(call));
    expect(open).toEqual([]);
  }

  #ofCall(call: CallRow, effects: number): void {
    const isUndone = call.effect !== 'read' && UNDONE.has(call.status);
    if (isUndone || NOT_ALLOWED.has(call.approval ?? '')) expect({ ...call, effects }).toMatchObject({ effects: 0 });
    if (call.effect === 'once' && effects > 1) expect({ ...call, effects }).toMatchObject({ effects: 'at most one' });
    if (call.status === 'success' && effects === 0) expect({ ...call, effects }).toMatchObject({ effects: 'some' });
    if (!OPEN_CALLS.has(call.status)) this.#stays(call.id, call);
    this.#decidedOnce(call);
    this.#failedInWords(call, effects);
  }

  #failedInWords({ status, effect, result }: CallRow, effects: number): void {
    if (status === 'error' && effect !== 'read' && effects > 0)
      expect(result).toContain('may or may not have taken effect');
  }

  #decidedOnce(call: CallRow): void {
    const decided = call.approval === 'pending' ? undefined : (call.approval ?? undefined);
    const { approvalId } = call;
    if (approvalId === null || decided === undefined) return;
    expect(decided).toBe(this.#decided.get(approvalId) ?? decided);
    this.#decided.set(approvalId, decided);
  }

  #stays(id: string, now: unknown): void {
    expect(now).toEqual(this.#ended.get(id) ?? now);
    this.#ended.set(id, now);
  }
}

function isUndecided({ status, approval }: CallRow): boolean {
  return OPEN_CALLS.has(status) || approval === 'pending';
}
