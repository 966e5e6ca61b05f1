import { z } from 'zod';
import { cursorParameter } from '../parameters.ts';
import type { ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { pickFields } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool } from '../services/service-tool.ts';

const LISTED = 25;
/** The properties that are read unless others are asked for. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  contacts: ['firstname', 'lastname', 'email', 'phone', 'company', 'jobtitle', 'lifecyclestage', 'hubspot_owner_id'],
  companies: ['name', 'domain', 'industry', 'phone', 'city', 'country', 'lifecyclestage', 'hubspot_owner_id'],
  deals: ['dealname', 'amount', 'dealstage', 'pipeline', 'closedate', 'hubspot_owner_id'],
  tickets: ['subject', 'content', 'hs_pipeline', 'hs_pipeline_stage', 'hs_ticket_priority', 'hubspot_owner_id'],
};
/** HubSpot's types of associations from a note. */
const NOTE_TYPES: Readonly<Record<string, number>> = { contacts: 202, companies: 190, deals: 214, tickets: 228 };

const objectType = z.string().regex(/^\w[\w-]{0,63}$/);
const id = z.string().regex(/^\d{1,30}$/);
const name = z.string().regex(/^\w{1,100}$/);
const parameters = z.strictObject({
  object: objectType.optional().describe('contacts, companies, deals, tickets, or a type of the account.'),
  id: id.optional().describe('Id of the record.'),
  query: z.string().max(3_000).optional().describe('In search: words, such as a name or a mail address.'),
  filters: z
    .array(
      z.strictObject({
        property: name,
        operator: z.string().regex(/^[A-Z_]{2,30}$/),
        value: z.string().max(3_000).optional(),
        values: z.array(z.string().max(3_000)).max(100).optional(),
      }),
    )
    .max(6)
    .optional()
    .describe('In search: all have to be met, such as {"property":"amount","operator":"GT","value":"1000"}.'),
  properties: z
    .record(name, z.union([z.string().max(65_536), z.number(), z.boolean()]))
    .optional()
    .describe('In create and update: values by their names.'),
  fields: z
    .array(name)
    .max(100)
    .optional()
    .describe('In search and get: names of the properties to read (list_properties).'),
  to_object: objectType.optional().describe('In associate: type of the other record.'),
  to_id: id.optional().describe('In associate: id of the other record.'),
  note: z.string().min(1).max(50_000).optional().describe('Markdown.'),
  cursor: cursorParameter,
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();
const RECORD = 'id properties associations createdAt updatedAt archived';
const page = z.object({
  total: z.number(),
  results: z.array(z.unknown()),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).nullish(),
});
const results = z.object({ results: z.array(z.unknown()) });
const pipelines = z.object({ results: z.array(z.looseObject({ stages: z.array(z.unknown()) })) });

const ACTIONS = {
  search: read(['object'], async ({ object, query, filters, fields = PROPERTIES[object], cursor }, { service }) => {
    const conditions = filters?.map(({ property, ...condition }) => ({ propertyName: property, ...condition }));
    const filterGroups = conditions === undefined ? undefined : [{ filters: conditions }];
    const json = { query, filterGroups, properties: fields, limit: LISTED, after: cursor };
    const path = `/crm/v3/objects/${object}/search`;
    const answer = await service.read({ method: 'POST', path, json }, page);
    return { total: answer.total, records: pickFields(answer.results, RECORD), next: answer.paging?.next?.after };
  }),
  get: read(['object', 'id'], async ({ object, id: recordId, fields = PROPERTIES[object] }, { service }) => {
    const associations = Object.keys(PROPERTIES).filter((each) => each !== object);
    const query = { properties: fields?.join(','), associations: associations.join(',') };
    return service.pick({ path: `/crm/v3/objects/${object}/${recordId}`, query }, RECORD);
  }),
  create: once(['object', 'properties'], async ({ object, properties }, { service }) => {
    const path = `/crm/v3/objects/${object}`;
    return service.pick({ method: 'POST', path, json: { properties } }, 'id createdAt');
  }),
  update: keyed(['object', 'id', 'properties'], async ({ object, id: recordId, properties }, { service }) => {
    const path = `/crm/v3/objects/${object}/${recordId}`;
    return service.pick({ method: 'PATCH', path, json: { properties } }, 'id updatedAt');
  }),
  associate: keyed(
    ['object', 'id', 'to_object', 'to_id'],
    async ({ object, id: recordId, to_object: other, to_id: otherId }, { service }) => {
      const path = `/crm/v4/objects/${object}/${recordId}/associations/default/${other}/${otherId}`;
      await service.request({ method: 'PUT', path });
      return { object, id: recordId, to_object: other, to_id: otherId };
    },
  ),
  note: once(['object', 'id', 'note'], async ({ object, id: recordId, note }, { service, context }) => {
    const associationTypeId = NOTE_TYPES[object];
    if (associationTypeId === undefined)
      throw new ToolFailure('invalid_input', `Notes are added to ${Object.keys(NOTE_TYPES).join(', ')} only`);
    const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }];
    const properties = { hs_note_body: await htmlOf(note, context), hs_timestamp: new Date().toISOString() };
    const json = { properties, associations: [{ to: { id: recordId }, types }] };
    return service.pick({ method: 'POST', path: '/crm/v3/objects/notes', json }, 'id createdAt');
  }),
  list_properties: read(['object'], async ({ object }, { service }) => ({
    properties: pickFields(
      (await service.read({ path: `/crm/v3/properties/${object}` }, results)).results,
      'name label type',
    ),
  })),
  list_pipelines: read(['object'], async ({ object }, { service }) => ({
    pipelines: (await service.read({ path: `/crm/v3/pipelines/${object}` }, pipelines)).results.map((pipeline) => ({
      ...(pickFields(pipeline, 'id label') as object),
      stages: pickFields(pipeline.stages, 'id label'),
    })),
  })),
};

/** Works with the records of HubSpot's CRM. It has no keys for what is created, so that is never repeated. */
export const hubspot = defineServiceTool({
  key: 'hubspot',
  name: 'HubSpot',
  description:
    'Searches, reads, creates and changes contacts, companies, deals and tickets in HubSpot, connects them and adds notes; lists their properties and pipelines.',
  category: 'business',
  kinds: ['hubspot'],
  parameters,
  actions: ACTIONS,
});

async function htmlOf(markdown: string, { compute }: Pick<ToolContext, 'compute'>): Promise<string> {
  const content = Buffer.from(markdown).toString('base64');
  return z.string().parse(JSON.parse(await compute({ kind: 'markdown', content, to: 'html' })));
}
