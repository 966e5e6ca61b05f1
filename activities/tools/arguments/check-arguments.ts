import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isStorableJson } from '../../../domain/core/text.ts';
import { MAX_ARGUMENT_CHARACTERS } from '../../../domain/tool-calls/index.ts';
import type { Tool } from '../registry.ts';
import type { ToolArguments } from '../tool.ts';

const MAX_FAULT = 500;
const MAX_DEPTH = 50;

const ajv = new Ajv({ strict: true, allowUnionTypes: true, ownProperties: true });
// Compiling one takes milliseconds, so it is done once, when the tool is first called.
const validators = new Map<string, ValidateFunction>();

/** The arguments, or what is wrong with them in a sentence the model can act on. */
export function checkArguments(tool: Tool, value: unknown): { arguments: ToolArguments } | { fault: string } {
  const { key } = tool.definition;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: `The arguments of ${key} must be a JSON object` };
  }
  if (!isStorableJson(value, MAX_DEPTH)) {
    return { fault: `The arguments of ${key} nest too deep, or hold NUL, half a character or the key __proto__` };
  }
  if (JSON.stringify(value).length > MAX_ARGUMENT_CHARACTERS) {
    return { fault: `The arguments of ${key} are longer than ${MAX_ARGUMENT_CHARACTERS} characters` };
  }
  const validate = validatorOf(tool);
  if (validate(value)) return { arguments: value as ToolArguments };
  const [error] = validate.errors ?? [];
  const fault = error === undefined ? 'are not valid' : describe(error);
  return { fault: `The arguments of ${key} do not fit: ${fault}`.slice(0, MAX_FAULT).toWellFormed() };
}

/** Compiles the tool's schema, unless it is compiled. A fault in it is a fault of the installation. */
export function validatorOf({ definition }: Tool): ValidateFunction {
  const known = validators.get(definition.key);
  if (known !== undefined) return known;
  const validate = ajv.compile(definition.parameters);
  validators.set(definition.key, validate);
  return validate;
}

function describe({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): string {
  const place = instancePath === '' ? '' : `${instancePath.slice(1).replaceAll('/', '.')} `;
  switch (keyword) {
    case 'additionalProperties':
      return `${place}must not have the property ${String(params['additionalProperty'])}`;
    case 'required':
      return `${place}must have the property ${String(params['missingProperty'])}`;
    case 'enum':
      return `${place}must be one of ${JSON.stringify(params['allowedValues'])}`;
    default:
      return `${place}${message}`;
  }
}
