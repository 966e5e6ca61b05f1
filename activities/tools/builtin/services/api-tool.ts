import { z } from 'zod';
import type { IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import type { ToolCategory } from '../../../../domain/tools/category.ts';
import type { Service, ServiceAnswer } from '../../context.ts';
import { type BuiltinTool, defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { describeService } from './describe-service.ts';
import { integrationParameter, propertiesParameter } from '../parameters.ts';
import { nextQueryOf } from './read-answer.ts';

/** Bounds of what is gathered from the pages of one list. */
const MAX_PAGES = 10;
const MAX_CHARACTERS = 2_000_000;
const MAX_VALUES = 100;
const scalar = z.union([z.string().max(8_192), z.number(), z.boolean()]);

const parameters = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('GET when left out.'),
  path: z
    .string()
    .max(4_000)
    .regex(/^\/(?!\/)[!-~]*$/, 'must begin with one slash and be printable ASCII without blanks')
    .describe('Below the address of the API, beginning with a slash; values in it are percent-encoded.'),
  query: propertiesParameter(z.union([scalar, z.array(scalar).max(MAX_VALUES)]), MAX_VALUES)
    .optional()
    .describe('Query parameters, added encoded; an array gives one several times.'),
  body: z.unknown().optional().describe('Sent as JSON.'),
  paginate: z.boolean().optional().describe(`With GET of a list: gathers up to ${MAX_PAGES} pages.`),
  integration: integrationParameter,
});

interface ApiToolSpec {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly category: ToolCategory;
  readonly kind: IntegrationKindKey;
}

/** Makes a tool that calls any route of a service's REST API, whose lists lead on by the header `Link`. */
export function defineApiTool({ kind, ...spec }: ApiToolSpec): BuiltinTool {
  return defineTool({
    ...spec,
    parameters,
    effect: 'once',
    effectOf: ({ method = 'GET' }) => (method === 'GET' ? 'read' : 'once'),
    approval: 'writes',
    timeoutSeconds: 90,
    needsIntegration: [kind],
    label: ({ method = 'GET', path }) => `${spec.name}: ${method} ${path.split('?', 1).join('')}`,
    describe: async ({ integration }, context) => describeService([kind], integration, context),
    run: async ({ method = 'GET', path, query, body, paginate = false, integration }, context) => {
      if (method === 'GET' && body !== undefined)
        throw new ToolFailure('invalid_input', 'A GET request has no body: use query');
      if (method !== 'GET' && paginate) throw new ToolFailure('invalid_input', 'Only GET requests have pages');
      const service = await context.openService([kind], integration);
      if (paginate) return { value: await gather(service, { path, query }), isForeign: true };
      const effect = method === 'GET' ? 'read' : 'once';
      const answer = await service.request({ method, path, query, json: body, effect });
      return { value: shown(answer), isForeign: true };
    },
  });
}

function shown(answer: ServiceAnswer) {
  const next = nextQueryOf(answer);
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return {
    status: answer.status,
    ...(answer.text !== '' && { body: isJson ? answer.json() : answer.text }),
    ...(next !== undefined && { next }),
  };
}

type Page = Pick<z.output<typeof parameters>, 'path' | 'query'>;

async function gather(service: Service, first: Page) {
  const items: unknown[] = [];
  const [route = ''] = first.path.split('?', 1);
  let characters = 0;
  let page = first;
  for (let pages = 1; ; pages += 1) {
    const answer = await service.request({ ...page, effect: 'read' });
    items.push(...listIn(answer.json()));
    const next = nextQueryOf(answer);
    characters += answer.text.length;
    if (next === undefined) return { items };
    page = { path: `${route}?${next}`, query: undefined };
    if (pages === MAX_PAGES || characters > MAX_CHARACTERS) return { items, next: page.path };
  }
}

// Some lists are a member of an object beside their total.
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const lists = typeof value === 'object' && value !== null ? Object.values(value).filter(Array.isArray) : [];
  const [list, another] = lists;
  if (list !== undefined && another === undefined) return list;
  throw new ToolFailure('invalid_input', 'The answer is no list: leave paginate out');
}
