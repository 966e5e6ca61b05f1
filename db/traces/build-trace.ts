import { cut } from '../../domain/core/text.ts';
import { parseExactJson } from '../../domain/core/exact-json.ts';
import { maskSecrets } from '../../domain/secrets.ts';
import {
  type ApprovalStep,
  attemptSteps,
  type CallStep,
  MAX_TRACE_STEPS,
  type StepTokens,
  type TraceStep,
} from '../../domain/traces.ts';
import type { ApprovalRow, CallRow, StoredStepRow, TurnRow, UsageRow } from './trace-rows.ts';

/** The rows of a turn and the sub-agents below it. */
export interface TraceRows {
  readonly turns: readonly TurnRow[];
  readonly steps: readonly StoredStepRow[];
  readonly calls: readonly CallRow[];
  readonly approvals: readonly ApprovalRow[];
  readonly usage: readonly UsageRow[];
}

/** The rows of a trace. */
export interface BuiltSteps {
  readonly steps: readonly TraceStep[];
  /** Whether further rows, or attempts, are left out. */
  readonly isCut: boolean;
}

/** The length shown of arguments, of a result and of what a model wrote, in characters. */
const MAX_EXCERPT = 300;

/** Returns the rows of a turn's trace: what is below a row follows it, otherwise in the order of time. */
export function buildSteps(turnId: string, rows: TraceRows): BuiltSteps {
  const steps = new TraceTree(rows).stepsOf(turnId, null);
  const isCut =
    [steps, rows.steps, rows.calls, rows.approvals].some(({ length }) => length > MAX_TRACE_STEPS) ||
    [...rows.turns, ...rows.steps].some(({ trace }) => trace === null);
  return { steps: steps.slice(0, MAX_TRACE_STEPS), isCut };
}

/** Sums the usage of all turns that were read. */
export function sumUsage(usage: readonly UsageRow[]): StepTokens {
  const sum = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  for (const row of usage) {
    sum.inputTokens += row.inputTokens;
    sum.outputTokens += row.outputTokens;
    sum.cachedInputTokens += row.cachedInputTokens;
    sum.reasoningTokens += row.reasoningTokens;
  }
  const isPriced = usage.every(({ cost }) => cost !== null);
  const cost = isPriced ? usage.reduce((total, row) => total + (row.cost ?? 0), 0) : null;
  return { ...sum, estimated: usage.some(({ estimated }) => estimated), cost };
}

class TraceTree {
  readonly #turns: ReadonlyMap<string, TurnRow>;
  readonly #steps: ReadonlyMap<string, StoredStepRow[]>;
  readonly #calls: ReadonlyMap<string, CallRow[]>;
  readonly #approvals: ReadonlyMap<string, readonly ApprovalRow[]>;
  readonly #usage: ReadonlyMap<string, UsageRow[]>;

  constructor({ turns, steps, calls, approvals, usage }: TraceRows) {
    this.#turns = new Map(turns.map((turn) => [turn.id, turn]));
    this.#steps = Map.groupBy(steps, ({ turnId }) => turnId);
    this.#calls = Map.groupBy(calls, ({ turnId }) => turnId);
    this.#approvals = Map.groupBy(approvals, ({ callId }) => callId);
    this.#usage = Map.groupBy(usage, ({ turnId }) => turnId);
  }

  stepsOf(turnId: string, parentId: string | null): TraceStep[] {
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return [];
    const own = [
      ...queueOf(turn, parentId),
      ...this.#attemptsOf(turn, parentId),
      ...(this.#calls.get(turnId) ?? []).map((call) => this.#callOf(call, parentId)),
      ...interruptOf(turn, parentId),
    ];
    return own.toSorted(byBegin).flatMap((step) => [step, ...(step.kind === 'call' ? this.#below(step) : [])]);
  }

  #below(call: CallStep): TraceStep[] {
    return [
      ...(this.#approvals.get(call.id) ?? []).map(approvalOf),
      ...(call.subAgent === null ? [] : this.stepsOf(call.subAgent.turnId, call.id)),
    ];
  }

  #attemptsOf(turn: TurnRow, parentId: string | null): TraceStep[] {
    const { id: turnId, error } = turn;
    const stored = this.#steps.get(turnId) ?? [];
    const isStored = stored.some(({ step }) => step === turn.step);
    // A last step that is not stored by itself has written the answer.
    const answer = turn.status === 'completed' ? (turn.answer ?? '') : '';
    const current = { turnId, step: turn.step, createdAt: turn.endedAt, trace: turn.trace, output: answer };
    return [...stored, ...(isStored ? [] : [current])].flatMap(({ step, createdAt, trace, output }) =>
      attemptSteps({
        turnId,
        parentId,
        step,
        attempts: trace ?? [],
        endedAt: createdAt,
        waitingUntil: turn.waitingUntil,
        usage: this.#tokens(turnId, (row) => row.step === step && row.callId === null),
        outputExcerpt: excerpt(output),
        error: step === turn.step && turn.status === 'failed' ? error : null,
      }),
    );
  }

  #callOf(call: CallRow, parentId: string | null): CallStep {
    const { task } = call;
    const subAgent = task && {
      ...task,
      agentName: task.agentName ?? '',
      usage: sumUsage(this.#usage.get(task.turnId) ?? []),
    };
    return {
      id: call.id,
      parentId,
      kind: 'call',
      startedAt: call.startedAt,
      endedAt: call.endedAt,
      step: call.step,
      name: call.name,
      label: call.label,
      effect: call.effect,
      status: call.status,
      tries: call.tries,
      argumentsExcerpt: call.argumentsText && excerptOfArguments(call.argumentsText),
      resultExcerpt: call.result === null ? null : excerpt(call.result),
      usage: this.#tokens(call.turnId, (row) => row.callId === call.id),
      subAgent,
    };
  }

  #tokens(turnId: string, condition: (row: UsageRow) => boolean): StepTokens | null {
    const rows = (this.#usage.get(turnId) ?? []).filter(condition);
    return rows.length === 0 ? null : sumUsage(rows);
  }
}

// Steps that have not begun come last; otherwise the order in which the rows were created decides.
function byBegin(a: TraceStep, b: TraceStep): number {
  return timeOf(a) - timeOf(b);
}

function timeOf({ startedAt, endedAt }: TraceStep): number {
  return (startedAt ?? endedAt)?.getTime() ?? Number.MAX_SAFE_INTEGER;
}

function queueOf({ id, createdAt, startedAt, endedAt }: TurnRow, parentId: string | null): TraceStep[] {
  return [{ id: `${id}.queue`, parentId, kind: 'queue', startedAt: createdAt, endedAt: startedAt ?? endedAt }];
}

function interruptOf({ id, interruptedAt: at }: TurnRow, parentId: string | null): TraceStep[] {
  return at === null ? [] : [{ id: `${id}.interrupt`, parentId, kind: 'interrupt', startedAt: at, endedAt: at }];
}

function approvalOf({ id, callId, requestedAt, decidedAt, ...approval }: ApprovalRow): ApprovalStep {
  return {
    id,
    parentId: callId,
    kind: 'approval',
    startedAt: requestedAt,
    endedAt: decidedAt,
    approvalId: id,
    ...approval,
  };
}

function excerptOfArguments(text: string): string {
  return excerpt(JSON.stringify(maskSecrets(parseExactJson(text) as Readonly<Record<string, unknown>>)));
}

function excerpt(text: string): string {
  return text.length > MAX_EXCERPT ? `${cut(text, MAX_EXCERPT)}…` : text;
}
