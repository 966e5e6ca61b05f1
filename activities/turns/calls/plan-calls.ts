import { v7 as uuidv7 } from 'uuid';
import type { ClaimedTurn, PlannedCall } from '../../../db/turns/index.ts';
import {
  AGENT_SPAWN,
  droppedCallsNotice,
  evaluateRepetition,
  planCalls,
  type ReadCall,
  repetitionFailure,
  repetitionNotice,
} from '../../../domain/tool-calls/index.ts';
import { checkArguments, findTool, refusal } from '../../tools/index.ts';
import { closedCall } from './closed-call.ts';
import type { PlanDelegation } from './plan-delegations.ts';
import { mayDelegate } from './tool-offer.ts';

/** The calls of a reply as they are stored; or why the turn cannot go on with them. */
export type CallPlan = { readonly calls: readonly PlannedCall[] } | { readonly stop: string };

/**
 * Decides what becomes of each call of a reply: it is planned, or refused with words that the model can act on. Calls
 * beyond the limit are dropped, and the last one kept tells of them.
 */
export function planReply(turn: ClaimedTurn, read: readonly ReadCall[], planDelegation: PlanDelegation): CallPlan {
  const { kept, dropped } = planCalls(read);
  const repetitions = evaluateRepetition(turn.history.turns.at(-1)?.steps ?? [], kept);
  const stopped = kept.find((_call, index) => repetitions[index]?.verdict === 'stop');
  if (stopped !== undefined) return { stop: repetitionFailure(stopped.name) };
  const calls = kept.map((call, index) => {
    const repetition = repetitions[index];
    if (repetition?.verdict === 'warn') return closedCall({ id: uuidv7(), ...call }, repetitionNotice(repetition));
    return planCall(turn, call, planDelegation);
  });
  return { calls: dropped === 0 ? calls : withNotice(calls, dropped) };
}

function planCall(
  turn: ClaimedTurn,
  { name, arguments: args, issue }: ReadCall,
  planDelegation: PlanDelegation,
): PlannedCall {
  if (issue !== undefined) return rejected(name, args, 'invalid_input', issue);
  if (name === AGENT_SPAWN && mayDelegate(turn)) {
    const plan = planDelegation(args);
    if ('issue' in plan) return rejected(name, args, 'invalid_input', plan.issue);
    return planned(name, args, { effect: 'agent', label: plan.title, delegation: plan });
  }
  const tool = turn.agent.tools.includes(name) ? findTool(name) : undefined;
  if (tool === undefined) return rejected(name, args, 'denied', `There is no tool "${name}" that you may use.`);
  const checked = checkArguments(tool, args);
  if ('fault' in checked) return rejected(name, args, 'invalid_input', checked.fault);
  const effect = tool.implementation.effectOf?.(checked.arguments) ?? tool.definition.effect;
  const label = tool.implementation.label?.(checked.arguments) ?? tool.definition.name;
  return planned(name, checked.arguments, { effect, label, delegation: undefined });
}

type Arguments = ReadCall['arguments'];

function planned(
  name: string,
  args: Arguments,
  rest: Pick<PlannedCall, 'effect' | 'label' | 'delegation'>,
): PlannedCall {
  return { id: uuidv7(), name, arguments: args, outcome: undefined, ...rest };
}

function rejected(name: string, args: Arguments, kind: 'invalid_input' | 'denied', message: string): PlannedCall {
  return closedCall({ id: uuidv7(), name, arguments: args }, refusal(kind, message));
}

// The last call kept is not run either: a call has one result, and this one must tell of the others.
function withNotice(calls: readonly PlannedCall[], dropped: number): PlannedCall[] {
  const last = calls.at(-1);
  if (last === undefined) return [];
  return [
    ...calls.slice(0, -1),
    rejected(last.name, last.arguments, 'invalid_input', `This call and ${droppedCallsNotice(dropped)}`),
  ];
}
