import { hashOf, type ModelReply } from '../installation/model-reply.ts';
import { type Evidence, type Matched, nameOf } from './evidence.ts';
import type { UsageFact } from './record/facts.ts';
import type { Verdict } from './verdict.ts';

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
  const told = turn.answers[0]?.metadata['usage'] as { input_tokens: number; output_tokens: number } | undefined;
  const input = rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const output = rows.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  if (told !== undefined && (told.input_tokens !== input || told.output_tokens !== output))
    faults.push(
      `${nameOf(each)}: its message says ${told.input_tokens}/${told.output_tokens} tokens, its rows ${input}/${output}`,
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
