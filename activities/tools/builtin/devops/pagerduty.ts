import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../services/service-tool.ts';
import { pickFields } from '../services/read-answer.ts';

const LISTED = 25;
const MAX_ON_CALL = 100;
const STATUSES = ['triggered', 'acknowledged', 'resolved'] as const;
/** The longest key that PagerDuty takes. */
const MAX_DEDUP_KEY = 255;
const id = z
  .string()
  .regex(/^[A-Za-z0-9]{1,64}$/)
  .optional();

const parameters = z.strictObject({
  summary: z.string().min(1).max(1_024).optional().describe('In trigger: what is wrong, in one line.'),
  severity: z.enum(['critical', 'error', 'warning', 'info']).optional().describe('In trigger: error unless given.'),
  source: z.string().min(1).max(255).optional().describe('In trigger: the affected system, such as its host name.'),
  details: z.record(z.string(), z.unknown()).optional().describe('In trigger: what else is known, by names.'),
  dedup_key: z
    .string()
    .min(1)
    .max(MAX_DEDUP_KEY)
    .optional()
    .describe(
      'What events of one incident have in common. In trigger one is made unless given; acknowledge and resolve take it, or incident_id; list finds its incident.',
    ),
  incident_id: id.describe('Id of the incident, such as Q2ABCDEFGHIJKL.'),
  service_id: id.describe('In list and on_call: only of this service.'),
  statuses: z.array(z.enum(STATUSES)).min(1).max(3).optional().describe('In list: the open ones unless given.'),
  text: z.string().min(1).max(25_000).optional().describe('In note: what to add to the incident.'),
  schedule_id: id.describe('In on_call: only of this schedule.'),
  cursor: z
    .string()
    .regex(/^\d{1,5}$/)
    .optional()
    .describe('The `next` of a former page.'),
});

type Arguments = z.output<typeof parameters>;
const { keyed, once, read } = actionsWith<Arguments>();
const INCIDENT =
  'id incident_number title status urgency priority.summary incident_key service.id service.summary escalation_policy.summary assignments.assignee.summary created_at last_status_change_at html_url';
const NOTE = 'id content user.summary created_at';
const ON_CALL =
  'user.id user.summary user.email escalation_level escalation_policy.summary schedule.id schedule.summary start end';

const incidentAnswer = z.object({ incident: z.looseObject({}) });
const incidentsAnswer = z.object({ incidents: z.array(z.looseObject({})), more: z.boolean().optional() });
const notesAnswer = z.object({ notes: z.array(z.looseObject({})) });
const noteAnswer = z.object({ note: z.looseObject({}) });
const onCallAnswer = z.object({ oncalls: z.array(z.looseObject({})), more: z.boolean().optional() });
const serviceAnswer = z.object({ service: z.object({ escalation_policy: z.object({ id: z.string() }) }) });

const ACTIONS = {
  trigger: keyed(
    ['summary'],
    { approval: 'always' },
    async ({ summary, severity = 'error', source = 'Everturn', details, dedup_key: given }, call) => {
      // The same key when the call is repeated, for which PagerDuty opens no second incident.
      const key = given ?? call.context.idempotencyKey.slice(0, MAX_DEDUP_KEY);
      const payload = { summary, severity, source, ...(details !== undefined && { custom_details: details }) };
      return sendEvent('trigger', key, call, { payload });
    },
  ),
  acknowledge: keyed([], async (args, call) =>
    changeState(args, { event: 'acknowledge', status: 'acknowledged' }, call),
  ),
  resolve: keyed(
    [],
    {
      approval: 'writes',
    },
    async (args, call) => changeState(args, { event: 'resolve', status: 'resolved' }, call),
  ),
  list: read([], async ({ dedup_key: key, service_id: serviceId, statuses, cursor = '0' }, { service }) => {
    const query = {
      'statuses[]': statuses ?? (key === undefined ? ['triggered', 'acknowledged'] : STATUSES),
      'service_ids[]': serviceId,
      incident_key: key,
      // Without it only incidents of the last month are found.
      date_range: key === undefined ? undefined : 'all',
      sort_by: 'created_at:desc',
      limit: LISTED,
      offset: cursor,
    };
    const { incidents, more } = await service.read({ path: '/incidents', query }, incidentsAnswer);
    return {
      incidents: pickFields(incidents, INCIDENT),
      next: more === true ? String(Number(cursor) + LISTED) : undefined,
    };
  }),
  get: read(['incident_id'], async ({ incident_id: incidentId }, { service }) => {
    const path = pathOf`/incidents/${incidentId}`;
    const { incident } = await service.read({ path }, incidentAnswer);
    const { notes } = await service.read({ path: `${path}/notes` }, notesAnswer);
    return { incident: pickFields(incident, INCIDENT), notes: pickFields(notes, NOTE) };
  }),
  note: once(['incident_id', 'text'], async ({ incident_id: incidentId, text }, { service }) => {
    const path = pathOf`/incidents/${incidentId}/notes`;
    const request = {
      method: 'POST',
      path,
      headers: fromHeader(service),
      json: { note: { content: text } },
    } as const;
    const { note } = await service.read(request, noteAnswer);
    return pickFields(note, NOTE);
  }),
  on_call: read([], async ({ service_id: serviceId, schedule_id: scheduleId }, { service }) => {
    const query = {
      'escalation_policy_ids[]': serviceId === undefined ? undefined : await policyOf(serviceId, service),
      'schedule_ids[]': scheduleId,
      'include[]': 'users',
      limit: MAX_ON_CALL,
    };
    const { oncalls, more } = await service.read({ path: '/oncalls', query }, onCallAnswer);
    return {
      on_call: pickFields(oncalls, ON_CALL),
      ...(more === true && { note: 'There are more: name a service_id or schedule_id.' }),
    };
  }),
};

/**
 * Opens, changes and reads incidents of PagerDuty. Events contain a key of their incident, so that a repetition opens
 * no other one; the other changes set a state, but for notes.
 */
export const pagerduty = defineServiceTool({
  key: 'pagerduty',
  name: 'PagerDuty',
  description:
    'Triggers, acknowledges and resolves incidents in PagerDuty, lists and reads them, adds notes, and says who is on call.',
  category: 'devops',
  kinds: ['pagerduty'],
  parameters,
  actions: ACTIONS,
  approval: 'never',
});

async function changeState(
  { dedup_key: key, incident_id: incidentId }: Arguments,
  { event, status }: { readonly event: 'acknowledge' | 'resolve'; readonly status: (typeof STATUSES)[number] },
  call: ServiceCall,
): Promise<unknown> {
  if ((key === undefined) === (incidentId === undefined))
    throw new ToolFailure('invalid_input', `The action ${event} requires either dedup_key or incident_id`);
  if (incidentId === undefined) return sendEvent(event, key ?? '', call);
  return pickFields(
    (
      await call.service.read(
        {
          method: 'PUT',
          path: pathOf`/incidents/${incidentId}`,
          headers: fromHeader(call.service),
          json: { incident: { type: 'incident', status } },
        },
        incidentAnswer,
      )
    ).incident,
    INCIDENT,
  );
}

async function sendEvent(
  event: 'trigger' | 'acknowledge' | 'resolve',
  key: string,
  { service }: ServiceCall,
  content: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const { routing_key: routingKey } = service.secrets;
  if (routingKey === undefined)
    throw new ToolFailure(
      'denied',
      `The integration ${service.name} lacks a routing_key, which events need; add one to it`,
    );
  const json = { routing_key: routingKey, event_action: event, dedup_key: key, ...content };
  return service.pick({ method: 'POST', at: 'events', path: '/v2/enqueue', json }, 'status message dedup_key');
}

async function policyOf(serviceId: string, service: ServiceCall['service']): Promise<string> {
  return (await service.read({ path: pathOf`/services/${serviceId}` }, serviceAnswer)).service.escalation_policy.id;
}

function fromHeader({ settings: { from } }: ServiceCall['service']): Readonly<Record<string, string>> {
  return from === undefined ? {} : { From: from };
}
