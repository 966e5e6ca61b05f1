import type { components } from '../../openapi.ts';

/** A row of the list: a step, or several quick reads in one. */
export type TraceRow = StepRow | GroupRow;

interface RowBase {
  readonly id: string;
  /** 0 at the top. */
  readonly depth: number;
  /** Undefined for a row with nothing below it. */
  readonly isOpen: boolean | undefined;
  /** Its place among the rows beside it, from 1, and how many those are. */
  readonly position: number;
  readonly of: number;
}

type RowPosition = Pick<RowBase, 'depth' | 'position' | 'of'>;

interface StepRow extends RowBase {
  readonly kind: 'step';
  readonly step: TraceStep;
}

/** Reads that followed each other, were quick and successful. */
interface GroupRow extends RowBase {
  readonly kind: 'group';
  readonly steps: readonly StepOf<'call'>[];
}

/** What is opened and closed. */
interface RowView {
  /** The ids of the rows that are not as they are at first: sub-agents open, groups of reads closed. */
  readonly toggled: ReadonlySet<string>;
  /** The step that is to be seen, whatever is closed. */
  readonly revealed: string | undefined;
}

/** A read that takes longer is not quick. */
const QUICK_MS = 1_000;

/** Fewer reads are shown one by one. */
const LEAST_IN_GROUP = 4;

/**
 * Returns the rows that are shown of a trace, in order: those below a closed row are left out, and quick reads that
 * follow each other are one row.
 */
export function rowsOf(steps: readonly TraceStep[], { toggled, revealed }: RowView): readonly TraceRow[] {
  const below = Map.groupBy(steps, ({ parent_id: parentId }) => parentId);
  const forced = revealed === undefined ? NONE : aboveOf(steps, revealed);
  const isOpen = (id: string, atFirst: boolean) => forced.has(id) || toggled.has(id) !== atFirst;
  const rows: TraceRow[] = [];
  const add = (step: TraceStep, at: RowPosition) => {
    const children = below.get(step.id) ?? [];
    const isShown = children.length === 0 ? undefined : isOpen(step.id, true);
    rows.push({ kind: 'step', id: step.id, ...at, isOpen: isShown, step });
    if (isShown === true) addAll(children, at.depth + 1);
  };
  const addGroup = (group: readonly StepOf<'call'>[], at: RowPosition) => {
    const id = `reads.${group[0]?.id}`;
    const isShown = isOpen(id, false) || group.some((step) => step.id === revealed);
    rows.push({ kind: 'group', id, ...at, isOpen: isShown, steps: group });
    if (!isShown) return;
    for (const [index, step] of group.entries())
      add(step, { depth: at.depth + 1, position: index + 1, of: group.length });
  };
  const addAll = (siblings: readonly TraceStep[], depth: number) => {
    const beside = runsOf(siblings, below).flatMap((run) =>
      run.length >= LEAST_IN_GROUP ? [run] : run.map((step) => [step]),
    );
    for (const [index, run] of beside.entries()) {
      const at = { depth, position: index + 1, of: beside.length };
      if (run.length >= LEAST_IN_GROUP) addGroup(run as readonly StepOf<'call'>[], at);
      else for (const step of run) add(step, at);
    }
  };
  addAll(below.get(null) ?? [], 0);
  return rows;
}

const NONE: ReadonlySet<string> = new Set();

// Quick reads that follow each other stand together, everything else alone.
function runsOf(steps: readonly TraceStep[], below: ReadonlyMap<string | null, unknown>): TraceStep[][] {
  const runs: TraceStep[][] = [];
  let isReading = false;
  for (const step of steps) {
    const isQuick = isQuickRead(step) && !below.has(step.id);
    const last = runs.at(-1);
    if (isQuick && isReading && last !== undefined) last.push(step);
    else runs.push([step]);
    isReading = isQuick;
  }
  return runs;
}

function isQuickRead(step: TraceStep): boolean {
  if (step.kind !== 'call' || step.effect !== 'read' || step.status !== 'success') return false;
  return Date.parse(step.ended_at ?? '') - Date.parse(step.started_at ?? '') < QUICK_MS;
}

function aboveOf(steps: readonly TraceStep[], id: string): ReadonlySet<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const above = new Set<string>();
  for (let parent = byId.get(id)?.parent_id; parent != null && !above.has(parent);) {
    above.add(parent);
    parent = byId.get(parent)?.parent_id;
  }
  return above;
}

/** Returns the next step after `from` that stands so, from the begin again after the last one. */
export function nextOfState(
  steps: readonly TraceStep[],
  from: string | undefined,
  state: 'error' | 'unknown',
): TraceStep | undefined {
  const at = steps.findIndex(({ id }) => id === from);
  const inOrder = [...steps.slice(at + 1), ...steps.slice(0, at + 1)];
  return inOrder.find((step) => stateOf(step) === state);
}

/** Returns the ids of chat and turn that a step belongs to: those of the sub-agent that it is below. */
export function turnOfStep(
  steps: readonly TraceStep[],
  step: TraceStep,
  own: { readonly chatId: string; readonly turnId: string },
): { readonly chatId: string; readonly turnId: string } {
  const parent = step.parent_id === null ? undefined : steps.find(({ id }) => id === step.parent_id);
  if (parent === undefined) return own;
  if (parent.kind !== 'call' || parent.sub_agent === null) return turnOfStep(steps, parent, own);
  return { chatId: parent.sub_agent.chat_id, turnId: parent.sub_agent.turn_id };
}

export type Trace = components['schemas']['Trace'];
export type TraceStep = components['schemas']['TraceStep'];
export type TraceTokens = components['schemas']['TraceTokens'];
export type StepOf<Kind extends TraceStep['kind']> = Extract<TraceStep, { kind: Kind }>;

/** What is to be made of a step of each kind. */
export type ForKind<More extends readonly unknown[], Made> = {
  readonly [Kind in TraceStep['kind']]: (step: StepOf<Kind>, ...more: More) => Made;
};

/** Makes of a step what is to be made of its kind. */
export function forKind<More extends readonly unknown[], Made>(
  table: ForKind<More, Made>,
  step: TraceStep,
  ...more: More
): Made {
  // The compiler does not see that the function is the one for the kind of this step.
  const make = table[step.kind] as (step: TraceStep, ...more: More) => Made;
  return make(step, ...more);
}

/** How a row stands, which decides its colour and its sign. */
export type StepState = 'running' | 'waiting' | 'good' | 'error' | 'unknown' | 'stopped' | 'calm';

/** Returns how a row of a trace stands. */
export function stateOf(step: TraceStep): StepState {
  return forKind(STATES, step);
}

/** Returns whether a model or a tool is at work during a row, as opposed to a wait. */
export function isWork(step: TraceStep): boolean {
  if (step.kind === 'call') return step.sub_agent === null;
  return step.kind === 'model_call' || (step.kind === 'attempt' && step.status === 'running');
}

const ATTEMPTS = { running: 'running', lost: 'error', released: 'calm' } as const;
const OUTCOMES = { replied: 'good', failed: 'error', stopped: 'stopped' } as const;
const CALLS = {
  planned: 'waiting',
  running: 'running',
  success: 'good',
  error: 'error',
  unknown: 'unknown',
  interrupted: 'stopped',
} as const;
const APPROVALS = {
  pending: 'waiting',
  approved: 'good',
  answered: 'good',
  denied: 'stopped',
  expired: 'stopped',
  cancelled: 'stopped',
  outdated: 'stopped',
} as const;

const ofWait = ({ ended_at: end }: TraceStep) => (end === null ? 'waiting' : 'calm');

const STATES: ForKind<[], StepState> = {
  queue: ofWait,
  wait: ofWait,
  attempt: ({ status }) => ATTEMPTS[status],
  model_call: ({ outcome }) => OUTCOMES[outcome],
  call: ({ status }) => CALLS[status],
  approval: ({ status }) => APPROVALS[status],
  blocked: () => 'error',
  interrupt: () => 'stopped',
  left_out: () => 'calm',
};
