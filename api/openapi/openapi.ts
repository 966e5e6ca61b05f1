import { z } from 'zod';
import { accessName, type Route } from '../core/define-route.ts';
import { problemSchema } from '../core/fields.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the routes. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const components: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Everturn', version, description: 'LLM agents as durable workflows' },
    paths,
    components: {
      schemas: { ...components, Problem: toJsonSchema(problemSchema, 'output', components) },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An access token or an API key' } },
    },
  };
}

function operation(route: Route, components: Record<string, Json>): Json {
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.tag],
    ...(route.access === 'public' ? {} : { security: [{ bearer: [] }], 'x-access': accessName(route.access) }),
    parameters: [...parameters(route.params, 'path', components), ...parameters(route.query, 'query', components)],
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toJsonSchema(route.body, 'input', components) } },
      },
    }),
    responses: { ...success(route, components), ...failures(route) },
  };
}

const LIST_HEADERS = {
  'X-Total-Count': { description: 'How many records the list has in all', schema: { type: 'integer' } },
  Link: { description: 'While more follow: `<...>; rel="next"`, the page after this one', schema: { type: 'string' } },
};

function success({ response }: Route, components: Record<string, Json>): Json {
  if (response.stream !== undefined) {
    return {
      200: { description: 'A stream of events', content: { [response.stream]: { schema: { type: 'string' } } } },
    };
  }
  if (response.schema === undefined) return { [response.status]: { description: 'Done' } };
  const schema = toJsonSchema(response.schema, 'output', components);
  const headers = response.schema.type === 'array' && { headers: LIST_HEADERS };
  return { [response.status]: { description: 'Done', ...headers, content: { 'application/json': { schema } } } };
}

/** The statuses other than success that a route can answer with. */
export function failureStatuses(route: Route): number[] {
  const byDeclaration = [
    ...(route.access === 'public' ? [] : [401]),
    ...((route.access === 'public' || route.access === 'signed_in') && !route.refusesManaged ? [] : [403]),
    ...(route.params === undefined ? [] : [404]),
    ...(route.body === undefined ? [] : [413, 415]),
    ...((route.params ?? route.query ?? route.body) ? [422] : []),
    ...(route.path.startsWith('/api/') ? [429] : []),
    503,
  ];
  return [...new Set([...byDeclaration, ...(route.errors ?? [])])].toSorted((a, b) => a - b);
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'A rule was broken',
  401: 'Missing or invalid token',
  403: 'Insufficient permissions',
  404: 'Not found',
  409: 'In conflict with the current state',
  413: 'Body too large',
  415: 'Body of the wrong type',
  422: 'Validation error',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
};

function failures(route: Route): Json {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries(
    failureStatuses(route).map((status) => [status, { description: DESCRIPTIONS[status] ?? 'Error', content }]),
  );
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query', components: Record<string, Json>): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

// Schemas with an id become components; zod puts those a schema refers to under `$defs`.
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Record<string, Json>): Json {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & { $defs?: Record<string, Json> };
  for (const [name, definition] of Object.entries($defs)) components[name] = relocate(definition) as Json;
  const moved = relocate(rest) as Json;
  const id = moved['id'];
  if (typeof id !== 'string') return moved;
  const { id: _id, ...definition } = moved;
  components[id] = definition;
  return { $ref: `#/components/schemas/${id}` };
}

function relocate(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^#\/\$defs\//, '#/components/schemas/');
  if (Array.isArray(value)) return value.map(relocate);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, relocate(item)]));
}

function operationId({ method, path }: Route): string {
  const words = path.split('/').filter((part) => part !== '' && part !== 'api');
  return [method, ...words.map((word) => word.replaceAll(/[{}]/g, '').replaceAll('-', '_'))].join('_');
}
