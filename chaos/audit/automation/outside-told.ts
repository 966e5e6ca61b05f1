import type { Told } from '../../installation/told-sink.ts';
import type { Verdict } from '../verdict.ts';
import type { AutomationFacts, DeliveryFact } from './automation-facts.ts';

/**
 * Checks A3: each ended run is told to its address, signed, under one id, and in the order in which the runs have
 * ended. A message whose answer was lost may come again.
 */
export function outsideTold({ runs, deliveries }: AutomationFacts, told: readonly Told[]): Verdict {
  const arrived = Map.groupBy(told, ({ deliveryId }) => deliveryId);
  const ofRun = Map.groupBy(deliveries, ({ runId }) => runId);
  const breaches = [
    ...runs
      .filter(({ id, completedAt }) => completedAt !== null && ofRun.get(id)?.length !== 1)
      .map(({ id }) => `run ${id} has ${ofRun.get(id)?.length ?? 0} messages`),
    ...deliveries.flatMap((delivery) => faultsOf(delivery, arrived.get(delivery.id) ?? [])),
    ...[...Map.groupBy(deliveries, ({ targetId }) => targetId).values()].flatMap((ofTarget) =>
      faultsOfOrder(ofTarget, arrived),
    ),
    ...told.filter(({ isSigned }) => !isSigned).map(({ deliveryId }) => `message ${deliveryId} was not signed`),
  ];
  const again = [...arrived.values()].filter((each) => each.filter(({ isTaken }) => isTaken).length > 1).length;
  return {
    promise: 'A3',
    claim: 'each ended run is told to the outside, in order',
    figure: `${deliveries.length} messages, ${told.length} arrivals; ${told.filter(({ isTaken }) => !isTaken).length} were refused, ${again} taken again because the answer was lost`,
    breaches,
  };
}

function faultsOf({ id, runId, status }: DeliveryFact, arrivals: readonly Told[]): string[] {
  const faults: string[] = [];
  if (status !== 'delivered') faults.push(`message ${id} of run ${runId} is ${status}`);
  if (!arrivals.some(({ isTaken }) => isTaken)) faults.push(`message ${id} of run ${runId} was never taken`);
  if (arrivals.some((each) => each.runId !== runId)) faults.push(`message ${id} tells of another run than ${runId}`);
  return faults;
}

// By when each was taken first.
function faultsOfOrder(ofTarget: readonly DeliveryFact[], arrived: ReadonlyMap<string, readonly Told[]>): string[] {
  const taken = ofTarget.map(({ id }) => ({
    id,
    at: arrived.get(id)?.find(({ isTaken }) => isTaken)?.at ?? Number.POSITIVE_INFINITY,
  }));
  return taken
    .filter(({ at }, place) => at < (taken[place - 1]?.at ?? 0))
    .map(({ id }) => `message ${id} was taken before the one before it`);
}
