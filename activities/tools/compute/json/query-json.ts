import jsonata from 'jsonata';
import {
  inexactNumberIn,
  parseExactJson,
  sourceNumber,
  withDigitTexts,
} from '../../../../domain/core/objects/exact-json.ts';
import { readText } from '../../../core/texts/read-text.ts';
import type { ComputeJob } from '../job.ts';

type QueryJob = Extract<ComputeJob, { kind: 'json_query' }>;

/** Evaluates a JSONata expression over JSON text; no match is null. Throws what is wrong with either. */
export async function queryJson({ json, isBase64 = false, expression }: QueryJob): Promise<unknown> {
  const text = isBase64 ? readText(Buffer.from(json, 'base64')).text : json;
  return evaluateJsonata(expression, parse(text));
}

/** Evaluates a JSONata expression over a value; no match is null. Throws what is wrong with the expression. */
export async function evaluateJsonata(expression: string, value: unknown): Promise<unknown> {
  const result: unknown = await compile(expression).evaluate(value);
  return result ?? null;
}

/**
 * Parses JSON for an expression, which calculates with the numbers of JavaScript: one with more digits than these have
 * is a text of its digits.
 */
export function parseForExpression(json: string): unknown {
  return withDigitTexts(parseExactJson(json));
}

function parse(json: string): unknown {
  try {
    return parseForExpression(json);
  } catch (error) {
    throw new Error(`The data is not JSON: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

/** Texts, names and patterns of an expression, in which digits are no number. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/gs;
const LONG_NUMBER = /(?<![\w.])\d{16,}(?![\w.])/g;

function compile(expression: string): jsonata.Expression {
  const [inexact] = (expression.replaceAll(QUOTED, '""').match(LONG_NUMBER) ?? []).flatMap(
    (digits) => inexactNumberIn(sourceNumber(digits)) ?? [],
  );
  if (inexact !== undefined)
    throw new Error(`The expression holds ${inexact.slice(0, 100)}, a number with more digits than it keeps: quote it`);
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
