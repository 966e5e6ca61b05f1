import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { TURN_EVENTS } from '../../api/chat-sse/turn-event.ts';
import { BOARD_EVENTS } from '../../api/tasks/board/schema.ts';
import { type Convention, conventionOf } from '../../api/http/replies/failure-form.ts';
import { failureStatuses } from '../../api/http/failure-statuses.ts';
import { PERMISSION_CATALOG } from '../../domain/permissions/keys.ts';
import { ApiClient } from '../support/api-client.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { declaredPaths, isOfOwnApi, routesThat } from './route-list.ts';

/** The forms of failures by the conventions of others. */
const FORMS: Readonly<Partial<Record<Convention, string>>> = {
  openai: 'OpenAiError',
  mcp: 'McpFailure',
  a2a: 'A2aFailure',
};
const KINDS = ['schemas', 'parameters', 'responses', 'headers'] as const;
const reference = (kind: (typeof KINDS)[number]) =>
  z.strictObject({ $ref: z.string().regex(new RegExp(`^#/components/${kind}/\\w+$`)) });
const schemaObject = z.record(z.string(), z.unknown());
const content = z.record(
  z.string().regex(/^(?:\w+\/[\w.+-]+|\*\/\*)$/),
  z.strictObject({
    schema: schemaObject,
    example: z.unknown().optional(),
    'x-event-schema': reference('schemas').optional(),
  }),
);
const headers = z.record(z.string(), reference('headers'));
const parameterObject = z.strictObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  description: z.string().min(1),
  schema: schemaObject,
});
const responseObject = z.strictObject({
  description: z.string().min(1),
  headers: headers.optional(),
  content: content.optional(),
});
const operationSchema = z.strictObject({
  operationId: z.string().regex(/^[a-z]+(?:[A-Z][a-z]+)*$/),
  summary: z.string().min(1),
  description: z.string().min(1),
  tags: z.array(z.string()).min(1),
  security: z.array(z.strictObject({ bearer: z.tuple([]) })).max(1),
  'x-access': z.string().optional(),
  parameters: z.array(z.union([reference('parameters'), parameterObject])),
  requestBody: z
    .strictObject({
      required: z.boolean(),
      content: z.strictObject({
        'application/json': z.strictObject({ schema: reference('schemas') }).optional(),
        'multipart/form-data': z.strictObject({ schema: schemaObject }).optional(),
        'message/rfc822': z.strictObject({ schema: schemaObject }).optional(),
        'application/zip': z.strictObject({ schema: schemaObject }).optional(),
      }),
    })
    .optional(),
  responses: z.record(z.string().regex(/^[2345]\d\d$/), z.union([reference('responses'), responseObject])),
});

/** As much of the OpenAPI 3.1 document's structure as this document uses; anything else in it is a fault. */
const documentSchema = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.string(), description: z.string() })).length(1),
  tags: z.array(z.strictObject({ name: z.string(), description: z.string().min(1) })),
  paths: z.record(
    z.string().regex(/^\//),
    z.record(z.enum(['get', 'post', 'patch', 'put', 'delete']), operationSchema.optional()),
  ),
  'x-websockets': z.record(
    z.string().regex(/^\/ws\//),
    z.strictObject({
      summary: z.string().min(1),
      description: z.string().min(1),
      'client-frame': reference('schemas'),
      'server-frame': reference('schemas'),
      subprotocols: z.record(
        z.string(),
        z.strictObject({ 'client-frame': reference('schemas'), 'server-frame': reference('schemas') }),
      ),
      'close-codes': z.record(z.string().regex(/^(?:1|4)\d{3}$/), z.string().min(1)),
    }),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^\w+$/), z.record(z.string(), z.unknown())),
    parameters: z.record(z.string().regex(/^\w+$/), parameterObject),
    responses: z.record(z.string().regex(/^\w+$/), responseObject),
    headers: z.record(
      z.string().regex(/^\w+$/),
      z.strictObject({ description: z.string().min(1), schema: schemaObject }),
    ),
    securitySchemes: z.strictObject({
      bearer: z.strictObject({ type: z.literal('http'), scheme: z.literal('bearer'), description: z.string() }),
    }),
  }),
});

type OpenApi = z.output<typeof documentSchema>;

const served = serveTestApi();
let raw: unknown;
let document: OpenApi;
beforeAll(async () => {
  const answer = await new ApiClient(served.url).get('/openapi.json');
  expect(answer.status).toBe(200);
  raw = answer.json;
  // Looked at whole by the first test; the others need not fail with it.
  document = answer.json as OpenApi;
});

function partsOf(value: unknown): unknown[] {
  if (value === null || typeof value !== 'object') return [value];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

describe('GET /openapi.json', () => {
  test('has the structure of an OpenAPI 3.1 document', () => {
    expect(documentSchema.safeParse(raw).error?.issues ?? []).toEqual([]);
  });

  test('lists exactly the routes that are served', () => {
    const listed = Object.entries(document.paths).map(([path, item]) => ({
      path,
      methods: Object.keys(item).map((method) => method.toUpperCase()),
    }));
    expect(listed).toEqual(declaredPaths());
  });

  test('gives each operation another operationId', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation?.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('refers only to parts that it contains, and to each of them', () => {
    const references = new Set(
      partsOf(raw).flatMap((part) => {
        const { $ref } = (part ?? {}) as { $ref?: unknown };
        return typeof $ref === 'string' ? [$ref] : [];
      }),
    );
    const defined = KINDS.flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...references].toSorted()).toEqual(defined.toSorted());
    expect(JSON.stringify(raw)).not.toContain('$defs');
  });

  test('has no part that is but a reference: such a one may lead to itself', () => {
    for (const kind of KINDS) {
      for (const [name, part] of Object.entries(document.components[kind])) {
        expect([name, Object.keys(part)]).not.toEqual([name, ['$ref']]);
      }
    }
  });

  test('describes each schema in JSON Schema', () => {
    const schemas = JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/');
    const $defs = JSON.parse(schemas) as Record<string, z.core.JSONSchema.JSONSchema>;
    const anyOf = Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` }));
    expect(anyOf.length).toBeGreaterThan(0);
    expect(() => z.fromJSONSchema({ $defs, anyOf })).not.toThrow();
  });
});

/** The schemas that an operation's answers are made of, with all that they refer to. */
function reachedFrom(part: unknown, seen = new Set<string>()): unknown[] {
  return partsOf(part).flatMap((found) => {
    const { $ref } = (found ?? {}) as { $ref?: unknown };
    if (typeof $ref !== 'string' || seen.has($ref)) return [found];
    seen.add($ref);
    const [kind = '', name = ''] = $ref.split('/').slice(2);
    return reachedFrom((document.components as Record<string, Record<string, unknown>>)[kind]?.[name], seen);
  });
}

function nameIn(referring: { $ref: string } | undefined): string {
  return referring?.$ref.split('/').at(-1) ?? '';
}

function isClosed(part: unknown): boolean {
  return (part as { additionalProperties?: unknown } | null)?.additionalProperties === false;
}

describe('the schemas of /openapi.json', () => {
  test('leave answers and frames open to fields that come later', () => {
    const answers = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation?.responses),
    );
    const frames = Object.values(document['x-websockets']).flatMap((socket) =>
      [socket, ...Object.values(socket.subprotocols)].map((version) => version['server-frame']),
    );
    expect([...answers, ...frames].flatMap((part) => reachedFrom(part)).filter(isClosed)).toEqual([]);
  });

  test('say the format of an id, and no pattern beside it', () => {
    const formatted = partsOf(raw).filter((part) => (part as { format?: unknown } | null)?.format === 'uuid');
    expect(formatted.length).toBeGreaterThan(50);
    expect(formatted.filter((part) => 'pattern' in (part as object))).toEqual([]);
  });

  test('name every field that takes a password or an address', () => {
    const { Credentials: credentials } = document.components.schemas;
    expect(credentials).toMatchObject({
      properties: { email: { format: 'email' }, password: { format: 'password' } },
    });
  });

  test('list the permission keys', () => {
    expect(document.components.schemas['PermissionKey']).toMatchObject({
      enum: PERMISSION_CATALOG.map(({ key }) => key),
    });
  });

  test('say what is known of a message, of its calls and its sub-agents', () => {
    const { Message: message, MessageMetadata: metadata } = document.components.schemas;
    expect(message).toMatchObject({ properties: { metadata_: { $ref: '#/components/schemas/MessageMetadata' } } });
    expect(Object.keys((metadata as { properties: object }).properties)).toEqual(
      expect.arrayContaining([
        'status',
        'turn_id',
        'tool_call_count',
        'tool_calls_detail',
        'usage',
        'sub_agents',
        'error',
      ]),
    );
  });

  test('have the data of an event for each name that a stream has, and a frame for each type', () => {
    const { TurnEvent, BoardEvent, ServerFrame: server, ClientFrame: client } = document.components.schemas;
    for (const [declared, events] of [
      [TurnEvent, TURN_EVENTS],
      [BoardEvent, BOARD_EVENTS],
    ] as const) {
      const { anyOf, description } = declared as { anyOf: { $ref: string }[]; description: string };
      const listed = Object.keys(events).map(
        (name, index) => `\`${name}\`: \`${anyOf[index]?.$ref.split('/').pop()}\``,
      );
      expect(anyOf).toHaveLength(listed.length);
      expect(description.match(/^- `\w+`: `\w+`/gm)).toEqual(listed.map((line) => `- ${line}`));
    }
    expect(server).toMatchObject({ discriminator: { propertyName: 'type' } });
    expect((client as { oneOf: unknown[] }).oneOf).toHaveLength(3);
  });
});

describe('generators of clients', () => {
  const isTyped = (part: unknown): part is { type?: unknown; properties?: Record<string, object> } =>
    part !== null && typeof part === 'object';
  const parts = () => partsOf(document.components.schemas).filter(isTyped);

  test('find no list of types but with null, and no property that is null and nothing else', () => {
    const lists = parts().flatMap(({ type }) => (Array.isArray(type) ? [type as string[]] : []));
    for (const list of lists) expect([list.length, list.at(-1)]).toEqual([2, 'null']);
    const properties = parts().flatMap(({ properties = {} }) => Object.entries(properties));
    expect(properties.filter(([, property]) => (property as { type?: unknown }).type === 'null')).toEqual([]);
  });

  test('find no truth value that has a value of its own', () => {
    expect(parts().filter((part) => typeof (part as { const?: unknown }).const === 'boolean')).toEqual([]);
  });

  test('find plain strings in headers', () => {
    const headers = partsOf(raw).filter(
      (part): part is z.output<typeof parameterObject> => (part as { in?: unknown } | null)?.in === 'header',
    );
    expect(headers.length).toBeGreaterThan(3);
    expect(headers.filter(({ schema }) => schema['type'] !== 'string' || schema['format'] !== undefined)).toEqual([]);
  });

  test('find a stream of events as a string, with the schema of an event beside it', () => {
    const streams = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => {
        const { data } = responseObject.safeParse(operation?.responses['200']);
        return data?.content?.['text/event-stream'] ?? [];
      }),
    );
    expect(streams.length).toBeGreaterThan(3);
    for (const stream of streams)
      expect(stream).toEqual({ schema: { type: 'string' }, 'x-event-schema': { $ref: expect.any(String) } });
  });

  test('find no name twice: of parts, and of what they make of a part within another', () => {
    const { schemas, parameters, responses } = document.components;
    const names = [schemas, parameters, responses].flatMap((kind) =>
      Object.keys(kind).map((name) => name.toLowerCase()),
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const inner = Object.entries(schemas).flatMap(([name, schema]) =>
      Object.entries((schema['properties'] ?? {}) as Record<string, object>).flatMap(([property, part]) =>
        needsName(part) ? [`${name}${property.replaceAll('_', '')}`.toLowerCase()] : [],
      ),
    );
    expect(inner.filter((name) => names.includes(name))).toEqual([]);
    // They are names in the clients' own runtimes.
    for (const name of ['response', 'responseerror', 'error', 'request', 'client', 'configuration'])
      expect(names).not.toContain(name);
  });

  test('find the reason of a failure as one of two types, neither of which contains further ones', () => {
    const { Problem: problem, ValidationIssue: issue } = document.components.schemas;
    const issues = { type: 'array', items: { $ref: '#/components/schemas/ValidationIssue' } };
    expect(problem).toMatchObject({ properties: { detail: { oneOf: [{ type: 'string' }, issues] } } });
    expect(partsOf(issue).filter((part) => 'anyOf' in Object(part) || 'oneOf' in Object(part))).toEqual([]);
  });

  test('find the failures of each entry point as it answers them', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const form = FORMS[conventionOf(path)] ?? 'Problem';
      const failures = Object.values(item).flatMap((operation) =>
        Object.entries(operation?.responses ?? {}).filter(([status]) => status >= '400'),
      );
      for (const [, failure] of failures) {
        const named = '$ref' in failure ? document.components.responses[nameIn(failure)] : failure;
        const schema = named?.content?.['application/json']?.schema;
        expect([path, schema]).toEqual([path, { $ref: `#/components/schemas/${form}` }]);
      }
    }
  });
});

/** Returns whether generators make a type with a name of its own of a schema within another. */
function needsName(schema: object): boolean {
  const {
    type,
    enum: values,
    items,
    anyOf = [],
  } = schema as {
    type?: unknown;
    enum?: unknown;
    items?: object;
    anyOf?: object[];
  };
  return (
    type === 'object' || values !== undefined || (items !== undefined && needsName(items)) || anyOf.some(needsName)
  );
}

describe.each(routesThat())('$title in /openapi.json', ({ route }) => {
  const operation = () => document.paths[route.path]?.[route.method];

  test('declares the parameters of its path, each as required', () => {
    const all = operation()?.parameters ?? [];
    const declared = all
      .map((parameter) => ('$ref' in parameter ? document.components.parameters[nameIn(parameter)] : parameter))
      .filter((parameter) => parameter?.in === 'path');
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(declared.map((parameter) => parameter?.name)).toEqual(inPath);
    expect(declared.every((parameter) => parameter?.required)).toBe(true);
  });

  test('declares its success and every failure, and who may call it', () => {
    const statuses = Object.keys(operation()?.responses ?? {}).map(Number);
    // A file is also sent in part, and not again to those who have it.
    const { response } = route;
    const { mayBeOver = false } = response;
    const takesNotifications = conventionOf(route.path) === 'mcp';
    const whole = [response.status, ...(takesNotifications ? [202] : []), ...(mayBeOver ? [204] : [])];
    const successes = response.download === undefined ? whole : [200, 206, 304];
    const expected = new Set([...successes, ...failureStatuses(route)]);
    expect(new Set(statuses)).toEqual(expected);
    expect(operation()?.security).toEqual(route.access === 'public' ? [] : [{ bearer: [] }]);
  });
});

test('the content of a file may have any type, and that of an archive one', () => {
  const typesOf = (path: string) => {
    const response = responseObject.safeParse(document.paths[path]?.['get']?.responses['200']);
    return Object.keys(response.data?.content ?? {});
  };
  expect(typesOf('/api/chats/{chat_id}/files/{file_id}/content')).toEqual(['application/octet-stream', '*/*']);
  expect(typesOf('/api/chats/{chat_id}/workspace/{path}')).toEqual(['application/octet-stream']);
  expect(typesOf('/api/tools/{tool_id}/export')).toEqual(['application/zip']);
});

describe.each(routesThat(({ body }) => body !== undefined))('$title in /openapi.json', ({ route }) => {
  const body = route.body ?? z.never();

  test('takes an object of a name of its own, and no field beyond those it declares', () => {
    const content = document.paths[route.path]?.[route.method]?.requestBody?.content['application/json'];
    expect(document.components.schemas[nameIn(content?.schema)]).toMatchObject({
      type: 'object',
      // The names in the body of a webhook are those that its sender chooses; clients of OpenAI's API send many.
      additionalProperties: body.type === 'record' || !isOfOwnApi(route) ? {} : false,
    });
  });

  test('gives examples of its body that it takes', () => {
    const examples = z.globalRegistry.get(body)?.['examples'] as readonly unknown[] | undefined;
    expect(examples?.length).toBeGreaterThan(0);
    for (const example of examples ?? []) expect(body.safeParse(example).error?.issues ?? []).toEqual([]);
  });
});

describe.each(routesThat(({ method, response }) => method === 'get' && response.schema?.type === 'array'))(
  '$title in /openapi.json',
  ({ route }) => {
    test('says how long a page may be, as numbers, and where the next one is', () => {
      const operation = document.paths[route.path]?.[route.method];
      const named = operation?.parameters.map((parameter) =>
        '$ref' in parameter ? document.components.parameters[nameIn(parameter)] : parameter,
      );
      const integer = { type: 'integer', minimum: expect.any(Number), maximum: expect.any(Number) };
      const withDefault = { ...integer, default: expect.any(Number) };
      // The list of chats is whole without it.
      const limit = route.path === '/api/chats' ? integer : withDefault;
      expect(named).toContainEqual(expect.objectContaining({ name: 'limit', schema: limit }));
      expect(named).toContainEqual(expect.objectContaining({ name: 'offset', schema: withDefault }));
      expect(operation?.responses['200']).toMatchObject({ headers: { 'X-Total-Count': {}, Link: {} } });
    });
  },
);
