import type { Delivery } from '../installation/effect-sink.ts';
import { type PlannedEffect, type PlannedTurn, withDescendants } from '../messages/turn-plan.ts';
import { type Evidence, type Matched, nameOf, type Span } from './evidence.ts';
import type { CallFact } from './record/facts.ts';
import type { Verdict } from './verdict.ts';

/** The number of workers that a call may lose, and the result it then has. */
const MAX_LOSSES = 3;
const GIVEN_UP = 'The call ended the process that ran it';

interface EffectCase {
  readonly planned: PlannedEffect;
  readonly deliveries: readonly Delivery[];
  readonly calls: readonly CallFact[];
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
  const givenUp = evidence.facts.calls.filter((call) => wasGivenUp(call, evidence.workerLosses)).length;
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

function collectCases({ facts, workerLosses, outside, talk }: Evidence): EffectCase[] {
  const deliveries = Map.groupBy(outside.deliveries, ({ token }) => token);
  const calls = Map.groupBy(facts.calls, ({ arguments: args }) => /fx-\d+/.exec(args)?.[0] ?? '');
  const memories = Map.groupBy(facts.memories, (content) => content);
  // A task that was added again, because an answer was lost, does its work again.
  const titles = Map.groupBy(facts.tasks, ({ title }) => title);
  const tasks = talk.tasks.filter(({ title }) => titles.get(title)?.length === 1);
  return [...talk.plans, ...tasks]
    .flatMap(({ turn }) => withDescendants(turn))
    .flatMap(({ effects: planned }) => planned)
    .map((planned) => ({
      planned,
      deliveries: deliveries.get(planned.token) ?? [],
      workerLosses,
      // An outer call carries the texts of inner ones.
      calls: (calls.get(planned.token) ?? []).filter(({ name }) => name !== 'agent_spawn'),
      memories: memories.get(`remember ${planned.token}`)?.length ?? 0,
    }));
}

function faultsOf({ planned, deliveries, calls, workerLosses, memories }: EffectCase): string[] {
  const [call, ...others] = calls;
  const times = planned.effect === 'memory' ? memories : deliveries.length;
  return [
    ...(others.length > 0 ? [`stored as ${calls.length} calls`] : []),
    ...(times > 0 && call === undefined ? ['happened without a stored call'] : []),
    ...(call === undefined ? [] : faultsOfOutcome(planned, call, { times, isGivenUp: wasGivenUp(call, workerLosses) })),
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

/** Returns whether a call was closed because it had lost its worker too often, which the faults must bear out. */
function wasGivenUp({ tries, startedAt, endedAt, result }: CallFact, workerLosses: readonly Span[]): boolean {
  if (tries <= MAX_LOSSES || startedAt === null || endedAt === null) return false;
  const hits = workerLosses.filter(({ from, to }) => from <= endedAt && to >= startedAt);
  return hits.length >= MAX_LOSSES && result?.includes(GIVEN_UP) === true;
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
  const told = (detail ?? []).map(({ id, status }) => `${id} ${status}`).join();
  const stored = calls.map(({ id, status }) => `${id} ${status}`).join();
  const faults = told === stored ? [] : [`${nameOf(each)}: its message tells of other calls than were made`];
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
