import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

/** The part of JSON Schema that request bodies are declared with. */
export interface FieldSchema {
  readonly type?: string | undefined;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

interface BodyField {
  readonly name: string;
  readonly field: FieldSchema;
  readonly isRequired: boolean;
}

const fieldsBySchema = new WeakMap<z.ZodType, readonly BodyField[]>();

/** The fields of a body as its callers see them, by name. */
export function fieldsOf(schema: z.ZodType): readonly BodyField[] {
  const known = fieldsBySchema.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, required = [] } = toFieldSchema(schema);
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    field,
    isRequired: required.includes(name),
  }));
  fieldsBySchema.set(schema, fields);
  return fields;
}

/** Values of fields that a text of the right length does not satisfy. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  email: 'sample@example.com',
  provider_type: 'openai-compatible',
  base_url: 'https://models.example.com/v1',
  credentials: { api_key: 'sk-sample' },
  url: 'https://mcp.example.com/mcp',
  notify_url: 'https://hooks.example.com/everturn',
  repo_url: 'https://github.com/example/app',
  get endpoint() {
    return `https://push.example.com/${randomUUID()}`;
  },
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  cron_expr: '0 9 * * mon',
  interval_minutes: null,
  timezone: 'UTC',
  start_at: null,
  end_at: null,
  from: '2026-11-02T00:00:00Z',
  to: '2026-11-09T00:00:00Z',
  callback_url: 'https://everturn.example.com/mcp-sign-in?code=sample&state=sample',
  auth_value: null,
  config: {},
  kind: 'http',
  position: 'a1V',
  // Of a workflow, whose steps stand instead of it.
  prompt_template: '',
  test_request: null,
  quiet_hours: null,
  // Of a channel of another kind.
  mail: null,
  test: false,
  password: 'a sample password',
  current_password: 'correct horse battery',
  code: 'a-sample-code',
  invite_token: undefined,
  // Of a document, whose address stands instead of it.
  text: undefined,
  // Of a question, and what waits is a call.
  answer: undefined,
  color: '#336699',
  get key() {
    return `sample-${randomUUID()}`;
  },
  steps: [{ provider_type: 'openai-compatible', model_name: null }],
  embedding_model: 'off',
  messages: [{ role: 'user', content: 'a sample' }],
  stream: false,
  jsonrpc: '2.0',
  // Members recognise nobody but themselves.
  matches_email: false,
  // Of a message of JSON-RPC.
  id: 1,
  response_format: null,
  previous_response_id: null,
  background: false,
  conversation: null,
};

/**
 * A body that the route accepts as far as its schema can tell. `known` gives values by field name, such as ids of
 * records; other ids of records are left out when they can be.
 */
export function sampleBody(schema: z.ZodType, known: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const entries = fieldsOf(schema).map(({ name, field }) => [name, sample(name, field, known)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Values for the parameters that a query cannot do without; ids that are not known are those of no record. */
export function sampleQuery(schema: z.ZodType, known: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const required = fieldsOf(schema).filter(({ isRequired }) => isRequired);
  const unknown = required.filter(({ field }) => field.format === 'uuid').map(({ name }) => [name, UNKNOWN_ID]);
  const values = { ...Object.fromEntries(unknown), ...known };
  return Object.fromEntries(required.map(({ name, field }) => [name, String(sample(name, field, values))]));
}

function sample(name: string, field: FieldSchema, known: Readonly<Record<string, unknown>>): unknown {
  if (name in known) return known[name];
  const { type, format, enum: values, minimum } = notNull(field);
  if (name in SAMPLES && values?.includes(SAMPLES[name]) !== false) return namedSample(name, field);
  if (values !== undefined) return values[0];
  if (format === 'uuid') return isNullable(field) ? null : undefined;
  const value = BY_TYPE[type ?? ''];
  if (value === undefined) throw new Error(`say in SAMPLES what ${name} can hold`);
  return typeof value === 'number' ? Math.max(minimum ?? 0, value) : value;
}

function namedSample(name: string, field: FieldSchema): unknown {
  if (hasStepsOfWorkflow(field)) return WORKFLOW_STEPS;
  // Of a destination; an MCP server has a configuration of another kind.
  return name === 'config' && notNull(field).properties?.['url'] !== undefined ? WEBHOOK_CONFIG : SAMPLES[name];
}

const WEBHOOK_CONFIG = { url: SAMPLES['notify_url'] };
const WORKFLOW_STEPS = [{ name: 'sample', prompt_template: 'a sample' }];

// A chain has steps of another kind.
function hasStepsOfWorkflow(field: FieldSchema): boolean {
  return notNull(field).items?.properties?.['prompt_template'] !== undefined;
}

const BY_TYPE: Readonly<Record<string, unknown>> = {
  string: 'a sample',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};

/** Whether null is one of the field's values. */
export function isNullable({ anyOf, type }: FieldSchema): boolean {
  return type === 'null' || (anyOf?.some(isNullable) ?? false);
}

/** The field's schema for values other than null. */
export function notNull(field: FieldSchema): FieldSchema {
  return field.anyOf?.find(({ type }) => type !== 'null') ?? field;
}

/** The JSON Schema of what callers send, with every named schema in the places that refer to it. */
export function toFieldSchema(schema: z.ZodType): FieldSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return inlined(root, $defs) as FieldSchema;
}

function inlined(part: unknown, definitions: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(part)) return part.map((item) => inlined(item, definitions));
  if (part === null || typeof part !== 'object') return part;
  const { $ref, ...rest } = part as { $ref?: unknown };
  const named = typeof $ref === 'string' ? inlined(definitions[$ref.replace('#/$defs/', '')], definitions) : {};
  const own = Object.entries(rest).map(([key, value]) => [key, inlined(value, definitions)]);
  return { ...(named as object), ...Object.fromEntries(own) };
}
