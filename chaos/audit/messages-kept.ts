import type { Evidence } from './evidence.ts';
import type { Verdict } from './verdict.ts';

/** Checks P1: an acknowledged message is never lost. */
export function messagesKept({ facts, talk }: Evidence): Verdict {
  const stored = new Map<string, number>();
  for (const { questions, parentId } of facts.turns) {
    if (parentId !== null) continue;
    for (const { messageId } of questions) stored.set(messageId ?? '', (stored.get(messageId ?? '') ?? 0) + 1);
  }
  const acknowledged = talk.plans.filter(({ index }) => talk.inFlight.of(index).ackedAt !== undefined);
  const breaches = [
    ...acknowledged
      .filter(({ messageId }) => stored.get(messageId) !== 1)
      .map(({ messageId }) => `${messageId} was acknowledged and is stored ${stored.get(messageId) ?? 0} times`),
    ...talk.plans
      .filter((plan) => !acknowledged.includes(plan))
      .map(({ messageId }) => `${messageId} was never acknowledged, however often it was sent`),
  ];
  return {
    promise: 'P1',
    claim: 'an acknowledged message is never lost',
    figure: `${acknowledged.filter(({ messageId }) => stored.get(messageId) === 1).length} of ${talk.plans.length} messages acknowledged and stored once`,
    breaches,
  };
}
