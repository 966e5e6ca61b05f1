import jsonata from 'jsonata';
import { inexactNumberIn, parseExactJson, sourceNumber, withDigitTexts } from '../../../domain/core/exact-json.ts';
import { readText } from '../../core/texts/read-text.ts';
import type { ComputeJob } from './job.ts';

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

const NUMBER = /(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function compile(expression: string): jsonata.Expression {
  const compiled = parseExpression(expression);
  const inexact = inexactNumberOf(expression, compiled.ast());
  if (inexact !== undefined)
    throw new Error(
      `The expression contains ${inexact.slice(0, 100)}, a number with more digits than it keeps: quote it`,
    );
  return compiled;
}

function parseExpression(expression: string): jsonata.Expression {
  try {
    return jsonata(expression);
  } catch (error) {
    throw new Error(`The expression is not JSONata: ${describe(error)}`, { cause: error });
  }
}

// The parser knows where a number ends; other digits, such as those of texts, patterns and comments, are none.
function inexactNumberOf(expression: string, tree: unknown): string | undefined {
  const ends = numberEndsIn(tree);
  for (const { 0: number, index } of expression.matchAll(NUMBER)) {
    if (ends.has(index + number.length) && inexactNumberIn(sourceNumber(number)) !== undefined) return number;
  }
  return undefined;
}

function numberEndsIn(tree: unknown): ReadonlySet<unknown> {
  const ends = new Set<unknown>();
  const nodes = new Set([tree]);
  // Includes the nodes that are added on the way; some are part of several others.
  for (const node of nodes) {
    if (typeof node !== 'object' || node === null) continue;
    if ('type' in node && node.type === 'number' && 'position' in node) ends.add(node.position);
    for (const part of Object.values(node)) nodes.add(part);
  }
  return ends;
}

// jsonata throws objects that are no Error.
function describe(error: unknown): string {
  const { message, position } = error as { message?: string; position?: number };
  return position === undefined ? (message ?? '') : `${message ?? ''} (at character ${position})`;
}

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
