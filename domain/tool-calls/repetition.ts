import { isObject } from '../core/objects.ts';

/** Times a call may be made in steps that follow one another and answer the same. */
const MAX_SAME_RESULTS = 3;

/** Times a call may be made while no new call is tried, whatever its results and whatever is called in between. */
const MAX_WITHOUT_NEW_CALL = 8;

/** Steps with a refused call after which the turn ends. */
const MAX_REJECTIONS = 3;

/** A call and what it answered. */
interface MadeCall extends NewCall {
  readonly result: string | null;
}

interface NewCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** `warn`: the call is not run, and its result is `repetitionNotice`. `stop`: the turn fails. */
export interface Repetition {
  readonly verdict: 'fine' | 'warn' | 'stop';
  /** In how many steps the call was run since something new was last tried. */
  readonly times: number;
}

const REJECTION = 'Not run: this call has been made';

/** Returns the result of a call that is not run because it repeats itself. */
export function repetitionNotice({ times }: Repetition): string {
  return (
    `${REJECTION} ${times} times with the same arguments without any progress. Use the results you have, ` +
    'try other arguments or another tool, or answer the user with what you know.'
  );
}

/** Returns the error of a turn that ends because it keeps repeating itself. */
export function repetitionFailure(name: string): string {
  return `The model kept repeating the same call of ${name} and was stopped.`;
}

/**
 * Judges the calls of a new reply, in their order, by the calls of the turn's steps so far. A call counts once a step,
 * and only since the last step with a call that was new in the turn; a reply with such a call is fine. So a check may
 * be made again after each change, a status may be asked for a few times, and loops of one or several calls are found.
 */
export function evaluateRepetition(
  steps: readonly { readonly calls: readonly MadeCall[] }[],
  reply: readonly NewCall[],
): readonly Repetition[] {
  const { seen, streak } = readSteps(steps);
  const signatures = reply.map(signatureOf);
  if (signatures.some((signature) => !seen.has(signature))) return reply.map(() => ({ verdict: 'fine', times: 0 }));
  const rejections = streak.filter((step) => [...step.values()].includes(REJECTED)).length;
  return signatures.map((signature) => {
    const times = timesRun(streak, signature);
    const isRepeated = times >= MAX_WITHOUT_NEW_CALL || sameResults(streak, signature) >= MAX_SAME_RESULTS;
    return { verdict: !isRepeated ? 'fine' : rejections >= MAX_REJECTIONS ? 'stop' : 'warn', times };
  });
}

const REJECTED = Symbol('rejected');

/** The result of each call of a step, by the call's signature. */
type StepResults = ReadonlyMap<string, string | typeof REJECTED>;

function readSteps(steps: readonly { readonly calls: readonly MadeCall[] }[]) {
  const seen = new Set<string>();
  let streak: StepResults[] = [];
  for (const { calls } of steps) {
    const results = resultsOf(calls);
    if ([...results.keys()].some((signature) => !seen.has(signature))) streak = [];
    streak.push(results);
    for (const signature of results.keys()) seen.add(signature);
  }
  return { seen, streak };
}

function resultsOf(calls: readonly MadeCall[]): StepResults {
  const results = new Map<string, string | typeof REJECTED>();
  for (const call of calls) {
    const signature = signatureOf(call);
    const before = results.get(signature) ?? '';
    const isRejected = before === REJECTED || call.result?.startsWith(REJECTION) === true;
    results.set(signature, isRejected ? REJECTED : `${before}\n${call.result ?? ''}`);
  }
  return results;
}

function timesRun(streak: readonly StepResults[], signature: string): number {
  return streak.filter((step) => typeof step.get(signature) === 'string').length;
}

/** Returns how often the call returned the same result in the last consecutive steps. */
function sameResults(streak: readonly StepResults[], signature: string): number {
  let count = 0;
  let last: string | undefined;
  for (const step of streak.toReversed()) {
    const result = step.get(signature);
    if (result === REJECTED) continue;
    if (result === undefined || (last !== undefined && result !== last)) break;
    last = result;
    count += 1;
  }
  return count;
}

function signatureOf({ name, arguments: args }: NewCall): string {
  return `${name} ${JSON.stringify(args, sortKeys)}`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
