import type { ComputeJob } from '../job.ts';
import { evaluateJsonata, parseForExpression } from './query-json.ts';

type AnswerJob = Extract<ComputeJob, { kind: 'answer' }>;

/**
 * Evaluates a JSONata expression over a server's answer, as `{ status, headers, body }`. A body that is no JSON is a
 * text. Throws what is wrong with the expression.
 */
export async function queryAnswer({ status, headers, body, isJson, expression }: AnswerJob): Promise<unknown> {
  return evaluateJsonata(expression, { status, headers, body: isJson ? parseOrText(body) : body });
}

function parseOrText(body: string): unknown {
  try {
    return parseForExpression(body);
  } catch {
    return body;
  }
}
