import type { CustomTool } from '../../../domain/tools/index.ts';
import { checkBounds, type Checked } from '../arguments/checked-arguments.ts';
import { checkBySchema } from '../arguments/json-schema-arguments.ts';
import type { ToolArguments } from '../tool.ts';
import { isObject } from '../../../domain/core/objects/is-object.ts';
import type { RuntimeContext } from './runtime.ts';

/** The characters of schema and arguments, multiplied, up to which a check takes milliseconds. */
const MAX_WORK = 4_000_000;
/** The longest that a check may take in its process, in milliseconds. */
const CHECK_LIMIT_MS = 5_000;

/**
 * Checks the arguments of a call as far as that is sure to be quick: all of it with most schemas, and otherwise no more
 * than their size. The rest is left to `checkFully`.
 */
export function checkQuickly({ key, parameters }: CustomTool, args: unknown): Checked<ToolArguments> {
  const bounded = checkBounds(key, args);
  return 'error' in bounded || !isQuick(parameters, bounded.value) ? bounded : checkBySchema(key, parameters, args);
}

/**
 * Checks what `checkQuickly` has left out, patterns and references included, in a process of bounded time and memory.
 * Throws `ToolFailure` when the arguments do not fit.
 */
export async function checkFully(
  { parameters }: CustomTool,
  given: ToolArguments,
  { compute }: Pick<RuntimeContext, 'compute'>,
): Promise<void> {
  if (isQuick(parameters, given)) return;
  await compute({ kind: 'check_arguments', parameters, given }, { limitMs: CHECK_LIMIT_MS });
}

function isQuick(parameters: CustomTool['parameters'], args: ToolArguments): boolean {
  return isPlainSchema(parameters) && JSON.stringify(parameters).length * JSON.stringify(args).length <= MAX_WORK;
}

/** Keywords whose check takes time in proportion to the schema and the arguments. */
const PLAIN: ReadonlySet<string> = new Set([
  'additionalProperties',
  'const',
  'default',
  'description',
  'enum',
  'examples',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'properties',
  'required',
  'title',
  'type',
]);

/** Returns whether checking arguments by a valid schema takes time in proportion to the sizes of both, at most. */
function isPlainSchema(schema: unknown): boolean {
  if (!isObject(schema)) return typeof schema === 'boolean';
  return Object.entries(schema).every(([keyword, value]) => {
    if (!PLAIN.has(keyword)) return keyword === '$schema';
    if (keyword === 'properties') return isObject(value) && Object.values(value).every(isPlainSchema);
    return keyword === 'items' || keyword === 'additionalProperties' ? isPlainSchema(value) : true;
  });
}
