import { z } from 'zod';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../services/service-tool.ts';
import { cursorParameter } from '../parameters.ts';
import { nextPageOf, pickFields, requestFields } from '../services/read-answer.ts';

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

const action = actionsWith<z.output<typeof parameters>>();
const ISSUE = [
  'id',
  'shortId',
  'title',
  'culprit',
  'level',
  'status',
  'count',
  'userCount',
  'firstSeen',
  'lastSeen',
  'permalink',
];

const ACTIONS = {
  list_issues: action({
    effect: 'read',
    run: async ({ project, query, cursor }, { service }) => {
      const organization = organizationOf(service);
      const path =
        project === undefined
          ? `/organizations/${organization}/issues/`
          : `/projects/${organization}/${project}/issues/`;
      const answer = await service.request({ path, query: { query, cursor, limit: LISTED }, effect: 'read' });
      return { issues: pickFields(answer.json(), ISSUE), next: nextPageOf(answer, 'cursor') };
    },
  }),
  get_issue: action({
    needs: ['issue_id'],
    effect: 'read',
    run: async ({ issue_id: id }, { service }) => {
      return requestFields(service, { path: `/issues/${id}/`, effect: 'read' }, [
        ...ISSUE,
        'metadata',
        'assignedTo',
        'project',
        'tags',
        'statusDetails',
      ]);
    },
  }),
  latest_event: action({
    needs: ['issue_id'],
    effect: 'read',
    run: async ({ issue_id: id }, { service }) => {
      return requestFields(service, { path: `/issues/${id}/events/latest/`, effect: 'read' }, [
        'id',
        'eventID',
        'title',
        'message',
        'dateCreated',
        'tags',
        'entries',
        'contexts',
        'user',
      ]);
    },
  }),
  resolve: action({
    needs: ['issue_id'],
    effect: 'keyed',
    run: async (args, call) => change(args.issue_id, { status: 'resolved' }, call),
  }),
  ignore: action({
    needs: ['issue_id'],
    effect: 'keyed',
    run: async (args, call) => change(args.issue_id, { status: 'ignored' }, call),
  }),
  assign: action({
    needs: ['issue_id', 'assignee'],
    effect: 'keyed',
    run: async (args, call) => change(args.issue_id, { assignedTo: args.assignee }, call),
  }),
  list_projects: action({
    effect: 'read',
    run: async ({ cursor }, { service }) => {
      const path = `/organizations/${organizationOf(service)}/projects/`;
      const answer = await service.request({ path, query: { cursor }, effect: 'read' });
      return {
        projects: pickFields(answer.json(), ['id', 'slug', 'name', 'platform', 'status']),
        next: nextPageOf(answer, 'cursor'),
      };
    },
  }),
};

/**
 * Looks at the errors of applications that Sentry has gathered. A change sets a state, so a repetition changes nothing.
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
  return requestFields(service, { method: 'PUT', path: `/issues/${id}/`, json, effect: 'keyed' }, ISSUE);
}
