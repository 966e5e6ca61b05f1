import { z } from 'zod';
import { actionsWith, defineServiceTool, pathOf } from '../services/service-tool.ts';
import { cursorParameter } from '../parameters.ts';
import type { ServiceAnswer } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { type ActionService, type ActionRequest, pickFields, readAnswer } from '../services/read-answer.ts';

const TOO_MANY = 429;
/** How long Airtable refuses everything after too many requests. */
const PENALTY_MS = 30_000;

const parameters = z.strictObject({
  base_id: z
    .string()
    .regex(/^app\w{1,40}$/)
    .optional()
    .describe('Id of the base (list_bases).'),
  table: z
    .string()
    // Without names that a server would resolve to another path.
    .regex(/^(?!\.{1,2}$)[^\p{Cc}]{1,255}$/u)
    .optional()
    .describe('Name or id of the table.'),
  formula: z.string().max(10_000).optional().describe('In list: a filter such as `{Status} = "Open"`.'),
  view: z.string().max(255).optional().describe('In list: name or id of a view.'),
  sort: z
    .array(z.strictObject({ field: z.string().max(255), direction: z.enum(['asc', 'desc']).optional() }))
    .max(10)
    .optional()
    .describe('In list: order of the records.'),
  record_id: z
    .string()
    .regex(/^rec\w{1,40}$/)
    .optional()
    .describe('Id of the record.'),
  fields: z.record(z.string().max(255), z.unknown()).optional().describe('Values by the names of fields.'),
  limit: z.int().min(1).max(100).optional().describe('25 unless given.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;

const { keyed, once, read } = actionsWith<Arguments>();
const RECORD = 'id createdTime fields';
const records = z.object({ records: z.array(z.unknown()), offset: z.string().optional() });
const bases = z.object({ bases: z.array(z.unknown()), offset: z.string().optional() });
const tables = z.object({
  tables: z.array(z.looseObject({ fields: z.array(z.looseObject({ options: z.unknown().optional() })) })),
});
const choices = z.object({ choices: z.array(z.object({ name: z.string() })) });

const ACTIONS = {
  list: read(['base_id', 'table'], async (args, { service }) => {
    const { formula, view, sort, limit = 25, cursor } = args;
    const json = { filterByFormula: formula, view, sort, pageSize: limit, offset: cursor };
    const path = `${tablePath(args)}/listRecords`;
    const answer = await ask(service, { method: 'POST', path, json });
    const { records: found, offset } = readAnswer(answer, records);
    return { records: pickFields(found, RECORD), next: offset };
  }),
  get: read(['base_id', 'table', 'record_id'], async (args, { service }) => {
    const path = `${tablePath(args)}/${args.record_id}`;
    return pickFields((await ask(service, { path })).json(), RECORD);
  }),
  create: once(['base_id', 'table', 'fields'], async (args, { service }) => {
    const json = { fields: args.fields };
    return pickFields((await ask(service, { method: 'POST', path: tablePath(args), json })).json(), RECORD);
  }),
  update: keyed(['base_id', 'table', 'record_id', 'fields'], async (args, { service }) => {
    const path = `${tablePath(args)}/${args.record_id}`;
    const json = { fields: args.fields };
    return pickFields((await ask(service, { method: 'PATCH', path, json })).json(), RECORD);
  }),
  delete: keyed(['base_id', 'table', 'record_id'], async (args, { service }) => {
    const path = `${tablePath(args)}/${args.record_id}`;
    const request = { method: 'DELETE', path, goneIsDone: true } as const;
    const answer = await ask(service, request);
    if (answer.status < 300) return pickFields(answer.json(), 'id deleted');
    return { id: args.record_id, deleted: true };
  }),
  list_bases: read([], async ({ cursor }, { service }) => {
    const answer = await ask(service, { path: '/meta/bases', query: { offset: cursor } });
    const { bases: found, offset } = readAnswer(answer, bases);
    return { bases: pickFields(found, 'id name permissionLevel'), next: offset };
  }),
  schema: read(['base_id'], async ({ base_id: base }, { service }) => {
    const answer = await ask(service, { path: `/meta/bases/${base}/tables` });
    return {
      tables: readAnswer(answer, tables).tables.map((table) => ({
        ...(pickFields(table, 'id name description') as object),
        fields: table.fields.map((field) => ({
          ...(pickFields(field, 'name type description') as object),
          choices: choices.safeParse(field.options).data?.choices.map(({ name }) => name),
        })),
      })),
    };
  }),
};

/** Works with records of Airtable. It has no keys for what is created, so that is never repeated. */
export const airtable = defineServiceTool({
  key: 'airtable',
  name: 'Airtable',
  description:
    'Lists, reads, creates, changes and deletes records of a base in Airtable; lists bases and their tables with fields.',
  category: 'data',
  kinds: ['airtable'],
  parameters,
  actions: ACTIONS,
});

function tablePath({ base_id: base = '', table = '' }: Arguments): string {
  return pathOf`/${base}/${table}`;
}

// Airtable does not say how long it refuses further requests.
async function ask(service: ActionService, request: ActionRequest): Promise<ServiceAnswer> {
  const answer = await service.request({ ...request, accepts: [TOO_MANY] });
  if (answer.status !== TOO_MANY) return answer;
  throw new ToolFailure(
    'rate_limited',
    'Airtable takes five requests a second for a base, and no more for 30 seconds now',
    {
      waitMs: PENALTY_MS,
    },
  );
}
