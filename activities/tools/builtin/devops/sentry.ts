import { z } from 'zod';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../services/service-tool.ts';
import { cursorParameter } from '../parameters.ts';
import { nextCursorOf, pickFields } from '../services/read-answer.ts';

const LISTED = 25;

const parameters = z.strictObject({
  issue_id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .describe('Id of the error group, such as 4509.'),
  project: z
    .string()
    .regex(/^[\w-]{1,100}$/)
    .optional()
    .describe('In list_issues: only this project, by its slug.'),
  query: z.string().max(500).optional().describe('In list_issues: a search such as `is:unresolved level:fatal`.'),
  assignee: z.string().max(200).optional().describe('In assign: a user name, a mail address or `team:<slug>`.'),
  cursor: cursorParameter,
});

const { keyed, read } = actionsWith<z.output<typeof parameters>>();
const ISSUE = 'id shortId title culprit level status count userCount firstSeen lastSeen permalink';

const ACTIONS = {
  list_issues: read([], async ({ project, query, cursor }, { service }) => {
    const organization = organizationOf(service);
    const path =
      project === undefined ? `/organizations/${organization}/issues/` : `/projects/${organization}/${project}/issues/`;
    const answer = await service.request({ path, query: { query, cursor, limit: LISTED } });
    return { issues: pickFields(answer.json(), ISSUE), next: nextCursorOf(answer) };
  }),
  get_issue: read(['issue_id'], async ({ issue_id: id }, { service }) =>
    service.pick({ path: `/issues/${id}/` }, `${ISSUE} metadata assignedTo project tags statusDetails`),
  ),
  latest_event: read(['issue_id'], async ({ issue_id: id }, { service }) =>
    service.pick(
      { path: `/issues/${id}/events/latest/` },
      'id eventID title message dateCreated tags entries contexts user',
    ),
  ),
  resolve: keyed(['issue_id'], async (args, call) => change(args.issue_id, { status: 'resolved' }, call)),
  ignore: keyed(['issue_id'], async (args, call) => change(args.issue_id, { status: 'ignored' }, call)),
  assign: keyed(['issue_id', 'assignee'], async (args, call) =>
    change(args.issue_id, { assignedTo: args.assignee }, call),
  ),
  list_projects: read([], async ({ cursor }, { service }) => {
    const path = `/organizations/${organizationOf(service)}/projects/`;
    const answer = await service.request({ path, query: { cursor } });
    return {
      projects: pickFields(answer.json(), 'id slug name platform status'),
      next: nextCursorOf(answer),
    };
  }),
};

/**
 * Reads the errors of applications that Sentry has gathered. A change sets a state, so a repetition changes nothing.
 */
export const sentry = defineServiceTool({
  key: 'sentry',
  name: 'Sentry',
  description:
    'Lists and reads the errors of applications in Sentry, with the newest event and its stack, and resolves, ignores or assigns them.',
  category: 'devops',
  kinds: ['sentry'],
  parameters,
  actions: ACTIONS,
});

function organizationOf({ settings }: ServiceCall['service']): string {
  return pathOf`${settings['organization'] ?? ''}`;
}

async function change(id: string, json: unknown, { service }: ServiceCall): Promise<unknown> {
  return service.pick({ method: 'PUT', path: `/issues/${id}/`, json }, ISSUE);
}
