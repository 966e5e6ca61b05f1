import type { Json } from '../components.ts';

/** As much of an OpenAPI document as types are made of. */
export interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Json;
}

type Content = Readonly<Record<string, { readonly schema: Json }>>;

const HEADER = `// Written by \`npm run types\` from the api's own description of itself; a check compares it.
`;

/**
 * Returns the TypeScript of a document's paths and schemas, in the form that `openapi-fetch` takes. All failures are
 * one type, that of `Problem`.
 */
export function emitTypes({ paths, components }: Described): string {
  const { schemas, parameters } = components;
  const schemaLines = Object.entries(schemas).map(([name, schema]) => `    ${name}: ${typeOf(schema)};`);
  const pathLines = Object.entries(paths).flatMap(([path, item]) => [
    `  ${JSON.stringify(path)}: {`,
    ...Object.entries(item).map(([method, operation]) => `    ${method}: ${typeOfOperation(operation, parameters)};`),
    '  };',
  ]);
  return [
    HEADER,
    'export interface components {',
    '  schemas: {',
    ...schemaLines,
    '  };',
    '}',
    '',
    'export interface paths {',
    ...pathLines,
    '}',
    '',
  ].join('\n');
}

function typeOfOperation(operation: Operation, shared: Described['components']['parameters']): string {
  const declared = operation.parameters.map((parameter) =>
    '$ref' in parameter ? found(shared[lastPart(parameter.$ref)], parameter.$ref) : parameter,
  );
  const places = (['path', 'query', 'header'] as const).flatMap((place) => {
    const here = declared.filter((parameter) => parameter.in === place);
    if (here.length === 0) return [];
    const mark = here.some(({ required }) => required) ? '' : '?';
    return `${place}${mark}: ${fieldsText(here.map(({ name, schema, required }) => ({ name, schema, required })))}`;
  });
  const body = operation.requestBody && `requestBody: { content: ${typeOfContent(operation.requestBody.content)} }`;
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const answers = successes.map(([status, { content }]) => `${status}: { content: ${typeOfContent(content)} }`);
  const failure = "default: { content: { 'application/json': components['schemas']['Problem'] } }";
  const parts = [`parameters: { ${places.join('; ')} }`, body, `responses: { ${[...answers, failure].join('; ')} }`];
  return `{ ${parts.filter((part) => part !== undefined).join('; ')} }`;
}

function typeOfContent(content: Content | undefined): string {
  if (content === undefined) return '{ "application/json"?: never }';
  const types = Object.entries(content).map(([type, { schema }]) => `${JSON.stringify(type)}: ${typeOf(schema)}`);
  return `{ ${types.join('; ')} }`;
}

/**
 * Returns the type of a JSON Schema's values. Keywords that only narrow texts and numbers say nothing to TypeScript.
 */
function typeOf(schema: Json): string {
  const { $ref, const: constant, enum: values, type } = schema;
  if (typeof $ref === 'string') return `components['schemas'][${JSON.stringify(lastPart($ref))}]`;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined;
  if (choices !== undefined) return unionOf(choices.map(typeOf));
  if (Array.isArray(type)) return unionOf(type.map((one: unknown) => typeOf({ ...schema, type: one })));
  return typeOfKind(schema);
}

function typeOfKind(schema: Json): string {
  switch (schema['type']) {
    case 'string':
      return schema['format'] === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return schema['type'];
    case 'array':
      return `(${typeOf((schema['items'] ?? {}) as Json)})[]`;
    case 'object':
      return typeOfObject(schema);
    default:
      return 'unknown';
  }
}

function typeOfObject({ properties, required, additionalProperties }: Json): string {
  const names = new Set((required ?? []) as readonly string[]);
  const declared = Object.entries((properties ?? {}) as Record<string, Json>);
  // Fields that come later are the server's to add, and not for a client to read by any name.
  if (declared.length > 0)
    return fieldsText(declared.map(([name, schema]) => ({ name, schema, required: names.has(name) })));
  if (additionalProperties === false) return 'Record<string, never>';
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties as Json) : 'unknown'}>`;
}

function fieldsText(fields: readonly { name: string; schema: Json; required: boolean }[]): string {
  const texts = fields.map(
    ({ name, schema, required }) =>
      `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`,
  );
  return `{ ${texts.join('; ')} }`;
}

function unionOf(types: readonly string[]): string {
  return `(${[...new Set(types)].join(' | ')})`;
}

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function found<T>(part: T | undefined, reference: string): T {
  if (part === undefined) throw new Error(`the document refers to ${reference}, which it does not hold`);
  return part;
}
