import { type PlannedEffect, withDescendants } from '../../messages/turn-plan.ts';
import type { Evidence, Span } from '../evidence.ts';
import type { CallFact } from '../record/facts.ts';

/** The number of workers that a call may lose, and the result it then has. */
export const MAX_LOSSES = 3;
const GIVEN_UP = 'times without producing a result, so it is not run again';

/** A planned effect beside the calls that are stored of it, which should be one. */
export interface PlannedCall {
  readonly planned: PlannedEffect;
  readonly calls: readonly CallFact[];
}

/** Lays the stored calls beside the planned effects. */
export function plannedCalls({ facts, talk }: Evidence): PlannedCall[] {
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
export function wasGivenUp(
  { tries, startedAt, endedAt, result }: CallFact,
  { workerLosses }: { readonly workerLosses: readonly Span[] },
): boolean {
  if (tries <= MAX_LOSSES || startedAt === null || endedAt === null) return false;
  const hits = workerLosses.filter(({ from, to }) => from <= endedAt && to >= startedAt);
  return hits.length >= MAX_LOSSES && result?.includes(GIVEN_UP) === true;
}
