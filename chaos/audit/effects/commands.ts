import { commandSays } from '../../messages/command-calls.ts';
import type { Evidence } from '../evidence.ts';
import type { CallFact } from '../record/facts.ts';
import type { Verdict } from '../verdict.ts';
import { type PlannedCall, plannedCalls, wasGivenUp } from './planned-calls.ts';

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
  const { commandPlace, commandLines } = evidence;
  if (!commandPlace.isThere)
    return { ...PROMISE, figure: `no commands were run, as ${commandPlace.reason}`, breaches: undefined };
  const lines = Map.groupBy(commandLines, (line) => line);
  const cases = plannedCalls(evidence)
    .filter(({ planned: { effect } }) => effect === 'command' || effect === 'snippet')
    .map((each): CommandCase => ({ ...each, times: lines.get(each.planned.token)?.length ?? 0 }));
  return {
    ...PROMISE,
    figure: figureOf(cases),
    breaches: cases.flatMap((each) =>
      faultsOf(each, evidence).map((fault) => `${each.planned.effect} ${each.planned.token}: ${fault}`),
    ),
  };
}

function figureOf(cases: readonly CommandCase[]): string {
  const ran = cases.filter(({ times }) => times > 0);
  const shell = cases.filter(({ planned }) => planned.effect === 'command').flatMap(({ calls }) => calls);
  const snippets = cases.filter(({ planned }) => planned.effect === 'snippet').flatMap(({ calls }) => calls);
  const told = (status: string) => shell.filter((call) => call.status === status).length;
  return (
    `${ran.length} shell commands ran, ${ran.filter(({ times }) => times > 1).length} of them twice; of ${shell.length} calls ` +
    `${told('success')} were told as done, ${told('unknown')} as unknown, ${told('interrupted')} as interrupted; ` +
    `${snippets.length} snippets, ${snippets.filter(({ status }) => status === 'success').length} of them with their value`
  );
}

function faultsOf({ planned, calls, times }: CommandCase, evidence: Evidence): string[] {
  const [call, ...others] = calls;
  return [
    ...(others.length > 0 ? [`stored as ${calls.length} calls`] : []),
    ...(times > 0 && call === undefined ? ['ran without a stored call'] : []),
    ...(times > 1 ? [`ran ${times} times`] : []),
    ...(call === undefined ? [] : faultsOfOutcome(call, { ...planned, times }, wasGivenUp(call, evidence))),
  ];
}

function faultsOfOutcome(
  { id, status, tries, result }: CallFact,
  { effect, token, times }: { readonly effect: string; readonly token: string; readonly times: number },
  isGivenUp: boolean,
): string[] {
  const said = result?.slice(0, 300) ?? 'no result';
  switch (status) {
    case 'success':
      return [
        ...(effect === 'command' && times === 0 ? [`call ${id} succeeded and nothing happened`] : []),
        ...(tells(result, token) ? [] : [`call ${id} succeeded and told another result: ${said}`]),
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
function tells(result: string | null, token: string): boolean {
  return new RegExp(`${commandSays(token)}\\b`).test(result ?? '');
}
