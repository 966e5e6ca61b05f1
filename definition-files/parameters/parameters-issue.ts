import { Ajv, type ErrorObject } from 'ajv';
import { patternsIssue } from './patterns-issue.ts';
import { SchemaWalk } from './schema-walk.ts';

const MAX_CHARACTERS = 64 * 1024;

let meta: Ajv | undefined;

/**
 * Returns why a JSON Schema cannot describe the parameters of a tool, or `undefined`. Who reads it, a provider or this
 * service, must not be led elsewhere by it or be kept busy: it refers to parts of itself only, stays small when all
 * references are followed, and its patterns take no time that grows with the square of a text.
 */
export function parametersIssue(schema: Readonly<Record<string, unknown>>): string | undefined {
  if (JSON.stringify(schema).length > MAX_CHARACTERS) return `must not exceed ${MAX_CHARACTERS} characters`;
  if (schema['type'] !== 'object') return 'must be a JSON Schema with "type": "object"';
  return validityIssue(schema) ?? walkIssue(schema);
}

function walkIssue(schema: Readonly<Record<string, unknown>>): string | undefined {
  const walk = new SchemaWalk(schema);
  return walk.issue() ?? patternsIssue(walk.patterns);
}

function validityIssue({ $schema: _schema, ...schema }: Readonly<Record<string, unknown>>): string | undefined {
  meta ??= new Ajv({ strict: false, logger: false, validateFormats: false });
  if (meta.validateSchema(schema) === true) return undefined;
  const [error] = meta.errors ?? [];
  return `is not a valid JSON Schema${error === undefined ? '' : `: ${describe(error)}`}`;
}

function describe({ instancePath, message = 'is not valid' }: ErrorObject): string {
  return instancePath === '' ? message : `${instancePath.slice(1).replaceAll('/', '.')} ${message}`;
}
