import jsonata from 'jsonata';
import { decodeText } from '../../../../domain/core/texts/decode-text.ts';
import type { ComputeJob } from '../job.ts';

type QueryJob = Extract<ComputeJob, { kind: 'json_query' }>;

/** Evaluates a JSONata expression over JSON text; no match is null. Throws what is wrong with either. */
export async function queryJson({ json, isBase64 = false, expression }: QueryJob): Promise<unknown> {
  const text = isBase64 ? decodeText(Buffer.from(json, 'base64')) : json;
  return evaluateJsonata(expression, parse(text));
}

/** Evaluates a JSONata expression over a value; no match is null. Throws what is wrong with the expression. */
export async function evaluateJsonata(expression: string, value: unknown): Promise<unknown> {
  const result: unknown = await compile(expression).evaluate(value);
  return result ?? null;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`The data is not JSON: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

function compile(expression: string): jsonata.Expression {
  try {
    return jsonata(expression);
  } catch (error) {
    throw new Error(`The expression is not JSONata: ${describe(error)}`, { cause: error });
  }
}

// jsonata throws objects that are no Error.
function describe(error: unknown): string {
  const { message, position } = error as { message?: string; position?: number };
  return position === undefined ? (message ?? '') : `${message ?? ''} (at character ${position})`;
}
