import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { failureStatuses } from '../../api/openapi/index.ts';
import { ApiClient } from '../support/api-client.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { declaredPaths, routesThat } from './route-list.ts';

const reference = z.object({ $ref: z.string().regex(/^#\/components\/schemas\/\w+$/) });
const schemaObject = z.union([reference, z.record(z.string(), z.unknown())]);
const content = z.record(z.string().regex(/^\w+\/[\w.+-]+$/), z.strictObject({ schema: schemaObject }));
const operationSchema = z.strictObject({
  operationId: z.string().regex(/^[a-z_0-9]+$/),
  summary: z.string().min(1),
  tags: z.array(z.string()).min(1),
  security: z.array(z.strictObject({ bearer: z.tuple([]) })).optional(),
  'x-access': z.string().optional(),
  parameters: z.array(
    z.strictObject({ name: z.string(), in: z.enum(['path', 'query']), required: z.boolean(), schema: schemaObject }),
  ),
  requestBody: z.strictObject({ required: z.literal(true), content }).optional(),
  responses: z.record(
    z.string().regex(/^[2345]\d\d$/),
    z.strictObject({
      description: z.string().min(1),
      headers: z
        .record(z.string(), z.strictObject({ description: z.string().min(1), schema: schemaObject }))
        .optional(),
      content: content.optional(),
    }),
  ),
});

/** As much of the OpenAPI 3.1 document's structure as this document uses; anything else in it is a fault. */
const documentSchema = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(
    z.string().regex(/^\//),
    z.record(z.enum(['get', 'post', 'patch', 'put', 'delete']), operationSchema.optional()),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^\w+$/), z.record(z.string(), z.unknown())),
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

  test('refers only to schemas that it holds', () => {
    const references = partsOf(raw).flatMap((part) => {
      const parsed = reference.safeParse(part);
      return parsed.success ? [parsed.data.$ref.replace('#/components/schemas/', '')] : [];
    });
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(JSON.stringify(raw)).not.toContain('$defs');
  });

  test('describes each schema in JSON Schema', () => {
    const names = Object.keys(document.components.schemas);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const whole = { ...document.components.schemas[name], $defs: document.components.schemas };
      const relocated = JSON.parse(JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')) as never;
      expect(() => z.fromJSONSchema(relocated)).not.toThrow();
    }
  });
});

describe.each(routesThat())('$title in /openapi.json', ({ route }) => {
  const operation = () => document.paths[route.path]?.[route.method];

  test('declares the parameters of its path, each as required', () => {
    const declared = operation()?.parameters.filter((parameter) => parameter.in === 'path') ?? [];
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(declared.map(({ name }) => name)).toEqual(inPath);
    expect(declared.every(({ required }) => required)).toBe(true);
  });

  test('declares its success and every failure, and who may call it', () => {
    const statuses = Object.keys(operation()?.responses ?? {}).map(Number);
    const expected = new Set([route.response.status, ...failureStatuses(route)]);
    expect(new Set(statuses)).toEqual(expected);
    expect(operation()?.security === undefined).toBe(route.access === 'public');
  });
});

describe('GET /docs', () => {
  test('lists every route, and loads nothing', async () => {
    const answer = await fetch(`${served.url}/docs`);
    const page = await answer.text();
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const { route } of routesThat()) expect(page).toContain(`<code>${route.path}</code>`);
    expect(page).not.toMatch(/<script|src=|<link/);
  });
});
