import type { z } from 'zod';
import { namesOrganization, type Route } from '../http/define-route.ts';
import { takesIfMatch } from '../resources/versions.ts';
import { type Components, type Json, toJsonSchema } from './json-schema.ts';

interface ParameterDeps {
  readonly schemas: Components;
  readonly parameters: Components;
}

// Headers are plain strings: openapi-python-client passes any other type to httpx as it is, which rejects it.
const ORGANIZATION: Json = {
  name: 'X-Org-Id',
  in: 'header',
  required: false,
  description:
    'The id of one of your organizations other than the active one. An API key belongs to one organization and cannot name another.',
  schema: { type: 'string' },
};

const LAST_EVENT: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event received: the stream resumes right after it, to the character.',
  schema: { type: 'string' },
};

const IF_MATCH: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the record when you read it, that is, its `updated_at` in quotes: if it has changed since, the response is 412 and nothing is stored.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A string of your choice, such as a UUID. A request repeated with the same key takes effect once.',
  schema: { type: 'string' },
};

/** Returns the parameters of a route: those of its path, its query and its headers. */
export function parametersOf(route: Route, { schemas, parameters }: ParameterDeps): Json[] {
  const declared = [
    ...declaredIn(route.params, 'path', schemas),
    ...declaredIn(route.query, 'query', schemas),
    ...(namesOrganization(route) ? [ORGANIZATION] : []),
    ...(takesIfMatch(route) ? [IF_MATCH] : []),
    ...(route.takesIdempotencyKey === true ? [IDEMPOTENCY_KEY] : []),
    ...(route.response.stream === undefined || route.response.whole !== undefined ? [] : [LAST_EVENT]),
  ];
  // When several share a name, the first becomes the component; the others are written inline.
  return declared.map((parameter) => {
    const name = componentName(String(parameter['name']));
    return parameters.tryAdd(name, parameter) ? parameters.refer(name) : parameter;
  });
}

function declaredIn(schema: z.ZodType | undefined, location: 'path' | 'query', schemas: Components): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }));
}

// `agent_id` and `X-Org-Id` become `AgentIdParameter` and `XOrgIdParameter`: generators keep one list of all names.
function componentName(parameter: string): string {
  const words = parameter.split(/[-_]/);
  const name = words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`).join('');
  return `${name}Parameter`;
}
