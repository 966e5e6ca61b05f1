import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import type { CallError, ToolArguments, ToolParameters } from '../tool.ts';
import { checkBounds, type Checked, misfit } from './checked-arguments.ts';

/** The total size of all compiled schemas, in characters of their text. */
const MAX_CACHED_CHARACTERS = 4_000_000;

// Compiling a schema takes milliseconds. Two organizations may have different tools with the same key, so a validator
// is keyed by its schema and never by the tool's name.
const validators = new LRUCache<string, ValidateFunction>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (_validate, schema) => schema.length,
});

/**
 * Validates a call's arguments with a foreign JSON Schema. Keywords that could keep a worker busy are left to the tool
 * itself: patterns, formats and the comparison of all items of a list.
 */
export function checkBySchema(key: string, parameters: ToolParameters, args: unknown): Checked<ToolArguments> {
  const bounded = checkBounds(key, args);
  if ('error' in bounded) return bounded;
  const validate = validatorOf(parameters);
  if (validate === undefined) return misfit(key, [], 'the schema of this tool is not valid');
  if (validate(bounded.value)) return bounded;
  const [error] = validate.errors ?? [];
  return error === undefined ? misfit(key, [], 'are not valid') : describe(key, error);
}

function validatorOf(parameters: ToolParameters): ValidateFunction | undefined {
  const schema = JSON.stringify(parameters);
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validate = compile(parameters);
  if (validate !== undefined) validators.set(schema, validate);
  return validate;
}

function compile(parameters: ToolParameters): ValidateFunction | undefined {
  // One for each schema, because it keeps everything it has compiled.
  const ajv = new Ajv({
    strict: false,
    ownProperties: true,
    validateFormats: false,
    meta: false,
    validateSchema: false,
    logger: false,
    code: { regExp: anything },
  });
  for (const keyword of ['pattern', 'patternProperties', 'uniqueItems']) ajv.removeKeyword(keyword);
  try {
    // A reference to another schema would be looked up, and a second schema with the same id would be rejected.
    const { $schema: _schema, $id: _id, ...schema } = parameters;
    return ajv.compile(schema);
  } catch {
    return undefined;
  }
}

const anything = Object.assign(() => ({ test: () => true }), { code: '(() => ({ test: () => true }))' });

function describe(key: string, { instancePath, keyword, message = 'is not valid', params }: ErrorObject): CallError {
  const path = instancePath === '' ? [] : instancePath.slice(1).split('/');
  switch (keyword) {
    case 'additionalProperties':
      return misfit(key, path, `must not have the property ${String(params['additionalProperty'])}`);
    case 'false schema':
      return misfit(key, path.slice(0, -1), `must not have the property ${path.at(-1) ?? ''}`);
    case 'const':
      return misfit(key, path, `must be ${JSON.stringify(params['allowedValue'])}`);
    case 'required':
      return misfit(key, path, `must have the property ${String(params['missingProperty'])}`);
    case 'enum':
      return misfit(key, path, `must be one of ${JSON.stringify(params['allowedValues'])}`);
    default:
      return misfit(key, path, message);
  }
}
