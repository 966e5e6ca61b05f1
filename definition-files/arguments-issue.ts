import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { withPlainNumbers } from '../domain/core/exact-json.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** The total size of all compiled schemas, in characters of their text. */
const MAX_CACHED_CHARACTERS = 4_000_000;

// Compiling a schema takes milliseconds. Two organizations may have different tools with the same key, so a validator
// is keyed by its schema and never by the tool's name.
const validators = new LRUCache<string, ValidateFunction>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (_validate, schema) => schema.length,
});

/** Why arguments do not fit, as the end of a sentence that begins with the path of the value. */
interface ArgumentsIssue {
  readonly path: readonly string[];
  readonly words: string;
}

/**
 * Returns why the arguments of a call do not fit a foreign JSON Schema, or `undefined`. Keywords that could keep a
 * process busy are left to the tool itself: patterns, formats and the comparison of all items of a list. So is a schema
 * that is not valid, such as one of an older draft.
 */
export function argumentsIssue(parameters: Parameters, args: Parameters): ArgumentsIssue | undefined {
  const validate = validatorOf(parameters);
  if (validate === undefined || validate(withPlainNumbers(args))) return undefined;
  const [error] = validate.errors ?? [];
  return error === undefined ? { path: [], words: 'are not valid' } : describe(error);
}

function validatorOf(parameters: Parameters): ValidateFunction | undefined {
  const schema = JSON.stringify(parameters);
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validate = compile(parameters);
  if (validate !== undefined) validators.set(schema, validate);
  return validate;
}

function compile(parameters: Parameters): ValidateFunction | undefined {
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

function describe({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): ArgumentsIssue {
  const path = instancePath === '' ? [] : instancePath.slice(1).split('/');
  switch (keyword) {
    case 'additionalProperties':
      return { path, words: `must not have the property ${String(params['additionalProperty'])}` };
    case 'false schema':
      return { path: path.slice(0, -1), words: `must not have the property ${path.at(-1) ?? ''}` };
    case 'const':
      return { path, words: `must be ${JSON.stringify(params['allowedValue'])}` };
    case 'required':
      return { path, words: `must have the property ${String(params['missingProperty'])}` };
    case 'enum':
      return { path, words: `must be one of ${JSON.stringify(params['allowedValues'])}` };
    default:
      return { path, words: message };
  }
}
