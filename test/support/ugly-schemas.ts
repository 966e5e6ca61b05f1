type Schema = Readonly<Record<string, unknown>>;

const PERSON = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

function nested(levels: number): Schema {
  return levels === 0 ? { type: 'string' } : { type: 'object', properties: { in: nested(levels - 1) } };
}

/** Each refers to the next one twice: whole, it is a million times as large. */
function doubling(): Schema {
  const steps = Array.from({ length: 20 }, (_, at) => [
    `d${at}`,
    { type: 'object', properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } } },
  ]);
  return {
    type: 'object',
    properties: { top: { $ref: '#/$defs/d0' } },
    $defs: { ...Object.fromEntries(steps), d20: { type: 'string' } },
  };
}

/** Schemas of arguments as servers and people write them, each of which some published API refuses. */
export const UGLY_SCHEMAS: Readonly<Record<string, Schema>> = {
  no_properties: { type: 'object' },
  root_one_of: { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  root_any_of: {
    anyOf: [
      { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } }, required: ['id', 'name'] },
    ],
  },
  root_all_of: {
    allOf: [{ $ref: '#/$defs/person' }, { properties: { age: { type: 'integer' } } }],
    $defs: { person: PERSON },
  },
  root_reference: { $ref: '#/definitions/person', definitions: { person: PERSON } },
  root_enum: { type: 'object', enum: [{ a: 1 }], not: { required: ['x'] } },
  root_condition: JSON.parse(`{
    "type": "object",
    "properties": { "kind": { "type": "string" } },
    "if": { "properties": { "kind": { "const": "file" } } },
    "then": { "properties": { "path": { "type": "string" } }, "required": ["path"] },
    "else": { "properties": { "url": { "type": "string" } }, "required": ["url"] }
  }`) as Schema,
  deep_alternatives: {
    oneOf: [{ anyOf: [{ required: ['a'] }, { allOf: [{ required: ['b'] }] }] }, { required: ['c'] }],
  },
  arrays: {
    type: 'object',
    properties: {
      bare: { type: 'array' },
      tuple: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      places: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      any: { type: 'array', items: true },
      optional: { type: ['array', 'null'] },
    },
  },
  names: {
    type: 'object',
    properties: {
      größe: { type: 'integer' },
      'a b': { type: 'object', properties: { $filter: {} } },
      ['x'.repeat(80)]: {},
    },
    required: ['größe'],
  },
  recursive: {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
  },
  recursive_root: { type: 'object', properties: { self: { $ref: '#' } } },
  recursive_merge: {
    type: 'object',
    allOf: [{ $ref: '#' }],
    properties: { a: { allOf: [{ $ref: '#/properties/a' }] } },
  },
  lost_reference: {
    type: 'object',
    properties: { a: { $ref: '#/nowhere' }, b: { $ref: 'other.json' }, c: { $ref: '#/%' } },
  },
  dialect: {
    $schema: 'http://json-schema.org/draft-04/schema#',
    $id: 'https://example.com/tool',
    id: 'tool',
    $comment: 'x',
    type: 'object',
    properties: {
      age: { type: 'number', minimum: 0, exclusiveMinimum: true },
      id: { type: 'string', format: 'uuid', pattern: '[a-z]+' },
      mail: { type: 'string', format: 'email', pattern: '(' },
      when: { type: 'string', format: 'date-time' },
      maybe: { type: 'string', nullable: true, required: true },
      mode: { const: 'fast' },
      level: { type: 'string', enum: ['', 'a', 1] },
      never: { enum: [] },
      thing: { type: 'any', description: 7, format: 3 },
      flag: { type: 'bool' },
      yes: true,
      no: false,
      list: { type: [] },
      rest: { type: 'object', additionalProperties: { $ref: '#/properties/id' }, patternProperties: { '^x': {} } },
    },
    required: ['age', 'age', 'missing', 7],
    dependencies: { age: ['id'] },
    unevaluatedProperties: false,
  },
  odd_values: {
    type: 'object',
    properties: [],
    required: 'a',
    anyOf: {},
    oneOf: [],
    allOf: 'x',
    additionalProperties: 'no',
  },
  deep: nested(40),
  doubling: doubling(),
};
