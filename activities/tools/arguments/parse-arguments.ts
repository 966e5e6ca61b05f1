import { z } from 'zod';
import { argumentsIssue } from '../../../definition-files/index.ts';
import { inexactNumberIn, withDigitTexts, withPlainNumbers } from '../../../domain/core/exact-json.ts';
import { withUnionIssues } from '../../../domain/core/issues.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { isStorableJson } from '../../../domain/core/text.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_ARGUMENT_NESTING } from '../../../domain/tool-calls/tool-call.ts';
import type { CallError, ToolArguments, ToolParameters } from '../tool.ts';

/** Parses a call's arguments with the zod schema of a builtin tool. */
export function parseArguments<S extends z.ZodObject>(
  key: string,
  schema: S,
  args: unknown,
  { takesDigitTexts = false } = {},
): Checked<z.output<S>> {
  const bounded = checkBounds(key, args);
  if ('error' in bounded) return bounded;
  const inexact = inexactNumberIn(bounded.value);
  if (inexact !== undefined && !takesDigitTexts) return tooLong(key, inexact);
  const given =
    inexact === undefined ? withPlainNumbers(bounded.value) : (withDigitTexts(bounded.value) as ToolArguments);
  const result = schema.safeParse(given);
  if (result.success) return { value: result.data };
  const [issue] = withUnionIssues(result.error.issues);
  return issue === undefined ? misfit(key, [], 'are not valid') : describe(key, issue, given);
}

function describe(key: string, issue: z.core.$ZodIssue, args: ToolArguments): CallError {
  const { path } = issue;
  if (issue.code === 'invalid_type' && valueAt(args, path) === undefined) {
    return misfit(key, path.slice(0, -1), `must have the property ${String(path.at(-1))}`);
  }
  return misfit(key, path, wordsOf(issue));
}

function wordsOf(issue: z.core.$ZodIssue): string {
  const { code } = issue;
  if (code === 'invalid_type') return `must be ${JSON_TYPES[issue.expected] ?? issue.expected}`;
  if (code === 'unrecognized_keys') return `must not have the property ${String(issue.keys[0])}`;
  if (code === 'invalid_value') return `must be one of ${JSON.stringify(issue.values)}`;
  if (code === 'too_small') return `must ${boundWords(issue.origin, '>=', 'fewer', issue.minimum)}`;
  if (code === 'too_big') return `must ${boundWords(issue.origin, '<=', 'more', issue.maximum)}`;
  if (code === 'invalid_format' && issue.pattern !== undefined) return `must match pattern "${issue.pattern}"`;
  return issue.message;
}

const JSON_TYPES: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

function boundWords(origin: string, sign: string, than: string, bound: number | bigint): string {
  if (origin === 'string') return `NOT have ${than} than ${bound} characters`;
  return origin === 'array' ? `NOT have ${than} than ${bound} items` : `be ${sign} ${bound}`;
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}

const MAX_MESSAGE_CHARACTERS = 500;

/** Valid arguments, or why they are invalid. */
export type Checked<T> = { readonly value: T } | CallError;

/** Checks the bounds for the arguments of every tool, whatever its parameters. */
export function checkBounds(key: string, args: unknown): Checked<ToolArguments> {
  if (!isObject(args)) return unfit(`The arguments of ${key} must be a JSON object`);
  if (!isStorableJson(args, MAX_ARGUMENT_NESTING)) {
    return unfit(`The arguments of ${key} nest too deep, or contain NUL, half a character or the key __proto__`);
  }
  if (JSON.stringify(args).length > MAX_ARGUMENT_CHARACTERS) {
    return unfit(`The arguments of ${key} are longer than ${MAX_ARGUMENT_CHARACTERS} characters`);
  }
  return { value: args };
}

/** Describes what is invalid in arguments, as the end of a sentence that begins with the path of the value. */
function misfit(key: string, path: readonly PropertyKey[], words: string): CallError {
  const prefix = path.length === 0 ? '' : `${path.map(String).join('.')} `;
  return unfit(`The arguments of ${key} do not fit: ${prefix}${words}`);
}

/** Describes a number that a tool would calculate with as another one. */
function tooLong(key: string, number: string): CallError {
  return unfit(`The arguments of ${key} contain ${number}, a number with more digits than it keeps: give it as a text`);
}

function unfit(message: string): CallError {
  return { error: { kind: 'invalid_input', message: message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed() } };
}

/** Validates a call's arguments with a foreign JSON Schema, as far as that is sure to be quick. */
export function checkBySchema(key: string, parameters: ToolParameters, args: unknown): Checked<ToolArguments> {
  const bounded = checkBounds(key, args);
  if ('error' in bounded) return bounded;
  const issue = argumentsIssue(parameters, bounded.value);
  return issue === undefined ? bounded : misfit(key, issue.path, issue.words);
}

/** Returns the JSON Schema of a tool's parameters for the model. */
export function toJsonSchema(parameters: z.ZodObject): ToolParameters {
  const { $schema: _schema, ...schema } = z.toJSONSchema(parameters, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // Neither adds information: every name is a string, and undescribed values may be anything.
      delete jsonSchema.propertyNames;
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
      const types = plainTypes(jsonSchema.anyOf);
      if (types === undefined) return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: types });
    },
  });
  return schema;
}

function isEmpty(schema: z.core.JSONSchema._JSONSchema | undefined): boolean {
  return typeof schema === 'object' && Object.keys(schema).length === 0;
}

// Alternatives that are plain types become one list of types, which all providers accept.
function plainTypes(anyOf: readonly z.core.JSONSchema._JSONSchema[] = []): string[] | undefined {
  const types = anyOf.flatMap((each) =>
    typeof each === 'object' && Object.keys(each).length === 1 && typeof each.type === 'string' ? [each.type] : [],
  );
  return types.length > 1 && types.length === anyOf.length ? types : undefined;
}
