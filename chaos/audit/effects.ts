import type { Delivery } from '../installation/sinks.ts';
import { commandSays } from '../messages/script-writer.ts';
import { type PlannedEffect, type PlannedTurn, withDescendants } from '../messages/turn-plan.ts';
import { type Evidence, type Matched, nameOf, type Span } from './evidence.ts';
import type { CallFact, Verdict } from './facts.ts';

interface EffectCase extends PlannedCall {
  readonly deliveries: readonly Delivery[];
  readonly workerLosses: readonly Span[];
  /** The number of its entries among the memories. */
  readonly memories: number;
}

/**
 * Checks P3: an effect happens at most once, or again only with the same key; an unknown outcome is reported as such.
 */
export function effects(evidence: Evidence): Verdict {
  const cases = collectCases(evidence);
  const breaches = [
    ...cases.flatMap((each) => faultsOf(each).map((fault) => `${each.planned.effect} ${each.planned.token}: ${fault}`)),
    ...evidence.matched.flatMap(faultsOfTurn),
    ...evidence.matched.flatMap((each) => faultsOfTree(each, evidence)),
  ];
  const of = (effect: PlannedEffect['effect']) => cases.filter(({ planned }) => planned.effect === effect);
  const once = of('once').filter(({ deliveries }) => deliveries.length > 0);
  const repeated = of('keyed').filter(({ deliveries }) => deliveries.length > 1).length;
  const givenUp = evidence.facts.calls.filter((call) => wasGivenUp(call, evidence)).length;
  const unknown = evidence.facts.calls.filter(({ status }) => status === 'unknown').length;
  return {
    promise: 'P3',
    claim: 'an effect happens at most once, or again only with the same key; unknown is said',
    figure:
      `${once.length} once effects reached the ledger, ${once.filter(({ deliveries }) => deliveries.length > 1).length} of them twice; ` +
      `${of('keyed').filter(({ deliveries }) => deliveries.length > 0).length} keyed, ${repeated} of them repeated with one key each; ` +
      `${of('memory').length} memories; ${evidence.facts.calls.length} calls in all, ${unknown} unknown, ${givenUp} given up after ${MAX_LOSSES} lost workers`,
    breaches,
  };
}

function collectCases(evidence: Evidence): EffectCase[] {
  const deliveries = Map.groupBy(evidence.outside.deliveries, ({ token }) => token);
  const memories = Map.groupBy(evidence.facts.memories, (content) => content);
  return plannedCalls(evidence)
    .filter(({ planned: { effect } }) => effect !== 'command' && effect !== 'snippet')
    .map((each) => ({
      ...each,
      deliveries: deliveries.get(each.planned.token) ?? [],
      workerLosses: evidence.workerLosses,
      memories: memories.get(`remember ${each.planned.token}`)?.length ?? 0,
    }));
}

function faultsOf({ planned, deliveries, calls, workerLosses, memories }: EffectCase): string[] {
  const [call, ...others] = calls;
  const times = planned.effect === 'memory' ? memories : deliveries.length;
  return [
    ...(others.length > 0 ? [`stored as ${calls.length} calls`] : []),
    ...(times > 0 && call === undefined ? ['happened without a stored call'] : []),
    ...(call === undefined
      ? []
      : faultsOfOutcome(planned, call, { times, isGivenUp: wasGivenUp(call, { workerLosses }) })),
    ...faultsOfRepetition(planned, deliveries, memories),
  ];
}

/** Compares a call's stored outcome with the number of times its effect happened. */
function faultsOfOutcome(
  { effect, isCut }: PlannedEffect,
  { id, status, tries, result }: CallFact,
  { times, isGivenUp }: { times: number; isGivenUp: boolean },
): string[] {
  switch (status) {
    case 'success':
      return times === 0 ? [`call ${id} succeeded and nothing happened`] : [];
    case 'error':
      return isCut || isGivenUp
        ? []
        : [`call ${id} ended with an error after ${tries} tries: ${result?.slice(0, 200) ?? 'no result'}`];
    case 'interrupted':
      // A request that was on its way when the turn was stopped has begun, whatever came of it.
      return times > 0 && effect !== 'read' ? [`call ${id} happened and says that it was interrupted`] : [];
    default:
      return [];
  }
}

function faultsOfRepetition(
  { effect, key }: PlannedEffect,
  deliveries: readonly Delivery[],
  memories: number,
): string[] {
  const faults: string[] = [];
  if (effect === 'memory' && memories > 1) faults.push(`happened ${memories} times`);
  if (effect === 'once' && deliveries.length > 1) {
    const times = deliveries.map(({ at }) => new Date(at).toISOString()).join(', ');
    faults.push(`happened ${deliveries.length} times: ${times}`);
  }
  if (effect === 'keyed' && deliveries.some((delivery) => delivery.key !== key))
    faults.push(`came with the keys ${[...new Set(deliveries.map((delivery) => delivery.key))].join(', ')}`);
  const bodies = new Set(deliveries.map(({ bodyHash }) => bodyHash)).size;
  if (effect !== 'read' && bodies > 1) faults.push(`came with ${bodies} bodies`);
  return faults;
}

/** Checks that the calls of the model are those of the turn and of its message. */
function faultsOfTurn(each: Matched): string[] {
  const { turn, planned, calls } = each;
  const detail = turn.answers[0]?.metadata['tool_calls_detail'] as { id: string; status: string }[] | undefined;
  const listed = (detail ?? []).map(({ id, status }) => `${id} ${status}`).join();
  const stored = calls.map(({ id, status }) => `${id} ${status}`).join();
  const faults = listed === stored ? [] : [`${nameOf(each)}: its message tells of other calls than were made`];
  const isOff = turn.status === 'completed' ? calls.length !== planned.callCount : calls.length > planned.callCount;
  return isOff ? [...faults, `${nameOf(each)} made ${calls.length} calls, not ${planned.callCount}`] : faults;
}

/** Checks that no finished sub-agent is run again, and none is left out. */
function faultsOfTree(each: Matched, { byTurn }: Evidence): string[] {
  const { turn, planned } = each;
  if (planned.children.length === 0) return [];
  const children = [...byTurn.values()].filter((other) => other.turn.parentId === turn.id);
  const asked = new Set(children.map((child) => child.planned satisfies PlannedTurn));
  const isRepeated = asked.size < children.length;
  const isShort = turn.status === 'completed' && asked.size < planned.children.length;
  if (!isRepeated && !isShort) return [];
  return [`${nameOf(each)} has ${children.length} sub-agents for ${asked.size} of ${planned.children.length} tasks`];
}

const PROMISE = { promise: 'P3', claim: 'no command runs twice, and what is told as done is there once' };

interface CommandCase extends PlannedCall {
  /** How often the command has left its line; a snippet leaves none. */
  readonly times: number;
}

/**
 * Checks P3 for what runs in the sandbox: a shell command has left its line at most once, and once when its call
 * succeeded; what the model was told of a success is the result of that call.
 */
export function commands(evidence: Evidence): Verdict {
  const { commandSandbox, commandLines } = evidence;
  if (!commandSandbox.isThere)
    return { ...PROMISE, figure: `no commands were run, as ${commandSandbox.reason}`, breaches: undefined };
  const lines = Map.groupBy(commandLines, (line) => line);
  const cases = plannedCalls(evidence)
    .filter(({ planned: { effect } }) => effect === 'command' || effect === 'snippet')
    .map((each): CommandCase => ({ ...each, times: lines.get(each.planned.token)?.length ?? 0 }));
  return {
    ...PROMISE,
    figure: figureOf(cases),
    breaches: cases.flatMap((each) =>
      faultsOfCommand(each, evidence).map((fault) => `${each.planned.effect} ${each.planned.token}: ${fault}`),
    ),
  };
}

function figureOf(cases: readonly CommandCase[]): string {
  const ran = cases.filter(({ times }) => times > 0);
  const shell = cases.filter(({ planned }) => planned.effect === 'command').flatMap(({ calls }) => calls);
  const snippets = cases.filter(({ planned }) => planned.effect === 'snippet').flatMap(({ calls }) => calls);
  const countOf = (status: string) => shell.filter((call) => call.status === status).length;
  return (
    `${ran.length} shell commands ran, ${ran.filter(({ times }) => times > 1).length} of them twice; of ${shell.length} calls ` +
    `${countOf('success')} were told as done, ${countOf('unknown')} as unknown, ${countOf('interrupted')} as interrupted; ` +
    `${snippets.length} snippets, ${snippets.filter(({ status }) => status === 'success').length} of them with their value`
  );
}

function faultsOfCommand({ planned, calls, times }: CommandCase, evidence: Evidence): string[] {
  const [call, ...others] = calls;
  return [
    ...(others.length > 0 ? [`stored as ${calls.length} calls`] : []),
    ...(times > 0 && call === undefined ? ['ran without a stored call'] : []),
    ...(times > 1 ? [`ran ${times} times`] : []),
    ...(call === undefined || isOfFullDisk(call, evidence)
      ? []
      : faultsOfCommandOutcome(call, { ...planned, times }, wasGivenUp(call, evidence))),
  ];
}

/** Returns whether a command was ended for want of space and says so, which the faults must bear out. */
function isOfFullDisk({ result }: CallFact, { hasFullDisk = false }: Evidence): boolean {
  return hasFullDisk && /workspace was full|disk is full|no space left|could not be kept/i.test(result ?? '');
}

function faultsOfCommandOutcome(
  { id, status, tries, result }: CallFact,
  { effect, token, times }: { readonly effect: string; readonly token: string; readonly times: number },
  isGivenUp: boolean,
): string[] {
  const said = result?.slice(0, 300) ?? 'no result';
  switch (status) {
    case 'success':
      return [
        ...(effect === 'command' && times === 0 ? [`call ${id} succeeded and nothing happened`] : []),
        ...(contains(result, token) ? [] : [`call ${id} succeeded and told another result: ${said}`]),
      ];
    case 'error':
      return isGivenUp ? [] : [`call ${id} ended with an error after ${tries} tries: ${said}`];
    case 'interrupted':
      return times > 0 ? [`call ${id} happened and says that it was interrupted`] : [];
    default:
      return [];
  }
}

// The name of one effect may begin that of another.
function contains(result: string | null, token: string): boolean {
  return new RegExp(`${commandSays(token)}\\b`).test(result ?? '');
}

/** The number of workers that a call may lose, and the result it then has. */
const MAX_LOSSES = 3;
const GIVEN_UP = 'times without producing a result, so it is not run again';

/** A planned effect beside the calls that are stored of it, which should be one. */
interface PlannedCall {
  readonly planned: PlannedEffect;
  readonly calls: readonly CallFact[];
}

/** Lays the stored calls beside the planned effects. */
function plannedCalls({ facts, talk }: Evidence): PlannedCall[] {
  const calls = Map.groupBy(facts.calls, ({ arguments: args }) => /fx-\d+/.exec(args)?.[0] ?? '');
  // A task that was added again, because an answer was lost, does its work again.
  const titles = Map.groupBy(facts.tasks, ({ title }) => title);
  const tasks = talk.tasks.filter(({ title }) => titles.get(title)?.length === 1);
  return [...talk.plans, ...tasks]
    .flatMap(({ turn }) => withDescendants(turn))
    .flatMap(({ effects: planned }) => planned)
    .map((planned) => ({
      planned,
      // An outer call carries the texts of inner ones.
      calls: (calls.get(planned.token) ?? []).filter(({ name }) => name !== 'agent_spawn'),
    }));
}

/** Returns whether a call was closed because it had lost its worker too often, which the faults must bear out. */
function wasGivenUp(
  { tries, startedAt, endedAt, result }: CallFact,
  { workerLosses }: { readonly workerLosses: readonly Span[] },
): boolean {
  if (tries <= MAX_LOSSES || startedAt === null || endedAt === null) return false;
  const hits = workerLosses.filter(({ from, to }) => from <= endedAt && to >= startedAt);
  return hits.length >= MAX_LOSSES && result?.includes(GIVEN_UP) === true;
}
