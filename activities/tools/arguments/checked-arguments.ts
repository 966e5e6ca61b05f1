import { isObject } from '../../../domain/core/objects/is-object.ts';
import { isStorableJson } from '../../../domain/core/text.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_ARGUMENT_NESTING } from '../../../domain/tool-calls/index.ts';
import type { CallError, ToolArguments } from '../tool.ts';

const MAX_MESSAGE_CHARACTERS = 500;

/** Valid arguments, or why they are invalid. */
export type Checked<T> = { readonly value: T } | CallError;

/** Checks the bounds for the arguments of every tool, whatever its parameters. */
export function checkBounds(key: string, args: unknown): Checked<ToolArguments> {
  if (!isObject(args)) return unfit(`The arguments of ${key} must be a JSON object`);
  if (!isStorableJson(args, MAX_ARGUMENT_NESTING)) {
    return unfit(`The arguments of ${key} nest too deep, or hold NUL, half a character or the key __proto__`);
  }
  if (JSON.stringify(args).length > MAX_ARGUMENT_CHARACTERS) {
    return unfit(`The arguments of ${key} are longer than ${MAX_ARGUMENT_CHARACTERS} characters`);
  }
  return { value: args };
}

/** Describes what is invalid in arguments, as the end of a sentence that begins with the path of the value. */
export function misfit(key: string, path: readonly PropertyKey[], words: string): CallError {
  const place = path.length === 0 ? '' : `${path.map(String).join('.')} `;
  return unfit(`The arguments of ${key} do not fit: ${place}${words}`);
}

/** Describes a number that a tool would calculate with as another one. */
export function tooLong(key: string, number: string): CallError {
  return unfit(`The arguments of ${key} hold ${number}, a number with more digits than it keeps: give it as a text`);
}

function unfit(message: string): CallError {
  return { error: { kind: 'invalid_input', message: message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed() } };
}
