import { hashOf, type ModelReply } from '../installation/model-reply.ts';
import { type Evidence, type Matched, nameOf } from './evidence.ts';
import type { TurnFact, UsageFact, Verdict } from './facts.ts';

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

const FINAL = new Set(['completed', 'interrupted', 'failed']);

/** Checks P2: every message ends in exactly one assistant message with the expected text. */
export function oneAnswer(evidence: Evidence): Verdict {
  const { facts, matched, unplanned } = evidence;
  const breaches = [
    ...[...facts.turns, ...facts.runTurns].flatMap(faultOfRecord),
    ...matched.flatMap((each) => faultOfAnswer(each, evidence)),
    ...unplanned.map(({ id, chatId }) => `turn ${id} of chat ${chatId} answers a message that nobody sent`),
  ];
  const answered = facts.turns.filter(({ answers }) => answers.length === 1).length;
  return {
    promise: 'P2',
    claim: 'a message ends in exactly one assistant message',
    figure: `${answered} of ${facts.turns.length} turns, those of sub-agents too`,
    breaches,
  };
}

function faultOfRecord({ id, status, questions, answers }: TurnFact): string[] {
  const faults = [];
  if (questions.length !== 1) faults.push(`turn ${id} has ${questions.length} user messages`);
  if (answers.length !== 1) faults.push(`turn ${id} (${status}) has ${answers.length} assistant messages`);
  const said = answers[0]?.metadata['status'];
  if (answers.length === 1 && (said !== status || !FINAL.has(status)))
    faults.push(`turn ${id} is ${status} and its message says ${String(said)}`);
  return faults;
}

function faultOfAnswer(each: Matched, evidence: Evidence): string[] {
  const { turn, planned } = each;
  const content = turn.answers[0]?.content ?? '';
  const { text } = planned;
  switch (turn.status) {
    case 'completed':
      if (planned.mustFail) return [`${nameOf(each)} completed though every provider failed`];
      return text === undefined || content === text
        ? []
        : [`${nameOf(each)} says ${quote(content)}, not ${quote(text)}`];
    case 'failed':
      return planned.mustFail ? [] : [`${nameOf(each)} failed: ${quote(String(turn.answers[0]?.metadata['error']))}`];
    case 'interrupted':
      return faultOfInterrupted(each, content, evidence);
    default:
      return [];
  }
}

function faultOfInterrupted(each: Matched, content: string, { byTurn }: Evidence): string[] {
  const { turn, planned } = each;
  const above = turn.ancestorIds.flatMap((id) => byTurn.get(id)?.turn ?? []);
  const isWanted = [turn, ...above].some(({ wasAskedToStop }) => wasAskedToStop);
  // A sub-agent also stops when the turn above it has failed.
  const isDragged = above.some(({ status }) => status !== 'completed');
  const faults = isWanted || isDragged ? [] : [`${nameOf(each)} was interrupted, and nobody asked for that`];
  if (planned.mayDiverge || planned.text === undefined || planned.text.startsWith(content)) return faults;
  return [
    ...faults,
    `${nameOf(each)} was interrupted and says ${quote(content)}, which ${quote(planned.text)} does not begin with`,
  ];
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}...` : text);
}

/**
 * Checks P7: tokens are counted once. A completed turn has one row for each reply that it took, with the numbers of a
 * reply that the model gave to just that request. A reply whose worker died before it was stored is in no row, since
 * nobody reported it.
 */
export function tokens(evidence: Evidence): Verdict {
  const whole = evidence.outside.replies.filter(({ status, isAborted }) => status === 200 && !isAborted);
  const replies = Map.groupBy(whole, ({ contentHash, step }) => `${contentHash} ${step}`);
  const usage = Map.groupBy(evidence.facts.usage, ({ turnId }) => turnId);
  const breaches = evidence.matched.flatMap((each) => [
    ...faultsOfCount(each, usage.get(each.turn.id) ?? []),
    ...(usage.get(each.turn.id) ?? []).flatMap((row) => faultOfRow(row, each, replies)),
  ]);
  const counted = evidence.facts.usage.filter(({ estimated }) => !estimated).length;
  return {
    promise: 'P7',
    claim: 'tokens are counted once',
    figure:
      `${evidence.facts.usage.length} rows, ${evidence.facts.usage.length - counted} of them estimated; the model gave ${whole.length} ` +
      `replies to their end and ${evidence.outside.replies.length - whole.length} others`,
    breaches,
  };
}

function faultsOfCount(each: Matched, rows: readonly UsageFact[]): string[] {
  const { turn, planned } = each;
  const faults: string[] = [];
  if (turn.status === 'completed' && rows.length !== planned.stepCount)
    faults.push(`${nameOf(each)} took ${planned.stepCount} replies and has ${rows.length} usage rows`);
  const reported = turn.answers[0]?.metadata['usage'] as { input_tokens: number; output_tokens: number } | undefined;
  const input = rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const output = rows.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  if (reported !== undefined && (reported.input_tokens !== input || reported.output_tokens !== output))
    faults.push(
      `${nameOf(each)}: its message says ${reported.input_tokens}/${reported.output_tokens} tokens, its rows ${input}/${output}`,
    );
  return faults;
}

function faultOfRow(
  { step, inputTokens, outputTokens, estimated }: UsageFact,
  each: Matched,
  replies: ReadonlyMap<string, readonly ModelReply[]>,
): string[] {
  if (estimated)
    return each.turn.status === 'completed' ? [`${nameOf(each)}: the tokens of step ${step} are estimated`] : [];
  const given = replies.get(`${hashOf(each.planned.content)} ${step}`) ?? [];
  const isGiven = given.some(({ promptTokens, chunks }) => promptTokens === inputTokens && chunks === outputTokens);
  if (isGiven) return [];
  const known = given.map(({ promptTokens, chunks }) => `${promptTokens}/${chunks}`).join(', ');
  return [
    `${nameOf(each)}: step ${step} counts ${inputTokens}/${outputTokens} tokens, the model gave ${known || 'no reply'}`,
  ];
}
