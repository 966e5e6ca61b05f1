import { type KnownWrites, memberOf, TOKEN } from './known-write.ts';

const PAGE = '01234567-89ab-cdef-0123-456789abcdef';
const NOTION_PAGE = { id: PAGE, properties: { Name: { id: 'title', type: 'title', title: [] } } };
const CONFLUENCE_PAGE = { id: '7', title: 'Old', status: 'current', version: { number: 1 } };
const comment = { success: true, comment: { id: 'c', url: 'https://linear.app/c' } };

/** Writes to services in which teams plan their work and write about it. */
export const TEAM_WORK_WRITES: readonly KnownWrites[] = [
  {
    kind: 'jira',
    credentials: { email: 'agents@example.com', api_token: TOKEN },
    writes: [
      {
        tool: 'jira',
        arguments: { action: 'create', project: 'WEB', type: 'Task', summary: 'It breaks' },
        effect: 'once',
        method: 'POST',
        path: '/rest/api/3/issue',
        answer: { id: '1', key: 'WEB-1' },
      },
      {
        tool: 'jira',
        arguments: { action: 'update', key: 'WEB-2', summary: 'It broke' },
        effect: 'keyed',
        method: 'PUT',
        path: '/rest/api/3/issue/WEB-2',
      },
    ],
  },
  {
    kind: 'confluence',
    credentials: { email: 'agents@example.com', api_token: TOKEN },
    reads: { 'GET /api/v2/pages/7': CONFLUENCE_PAGE },
    writes: [
      {
        tool: 'confluence',
        arguments: { action: 'comment', page_id: '7', comment: 'Seen' },
        effect: 'once',
        method: 'POST',
        path: '/api/v2/footer-comments',
        answer: { id: '1' },
      },
      {
        tool: 'confluence',
        arguments: { action: 'update', page_id: '7', title: 'New' },
        effect: 'keyed',
        method: 'PUT',
        path: '/api/v2/pages/7',
        answer: CONFLUENCE_PAGE,
        keyOf: (request) => memberOf(request, 'version', 'message'),
        readsAfter: (request) => ({
          'GET /api/v2/pages/7': { ...CONFLUENCE_PAGE, version: memberOf(request, 'version') },
        }),
        isFoundByReading: true,
      },
    ],
  },
  {
    kind: 'linear',
    credentials: { api_key: TOKEN },
    writes: [
      {
        tool: 'linear',
        arguments: { action: 'comment', id: 'WEB-7', comment: 'Seen' },
        effect: 'keyed',
        method: 'POST',
        path: '/graphql',
        answer: { data: { commentCreate: comment } },
        keyOf: (request) => memberOf(request, 'variables', 'input', 'id'),
        mark: 'mutation(',
        again: {
          status: 200,
          answer: { errors: [{ message: 'Entity with the id exists already', extensions: { type: 'invalid input' } }] },
        },
        readsAfter: () => ({ 'POST /graphql': { data: { comment: comment.comment } } }),
      },
    ],
  },
  {
    kind: 'asana',
    credentials: { token: TOKEN },
    writes: [
      {
        tool: 'asana',
        arguments: { action: 'create', name: 'Fix it', workspace_id: '1' },
        effect: 'once',
        method: 'POST',
        path: '/api/1.0/tasks',
        answer: { data: { gid: '7' } },
      },
      {
        tool: 'asana',
        arguments: { action: 'complete', task_id: '8' },
        effect: 'keyed',
        method: 'PUT',
        path: '/api/1.0/tasks/8',
        answer: { data: { gid: '8' } },
      },
    ],
  },
  {
    kind: 'notion',
    credentials: { token: TOKEN },
    reads: { [`GET /v1/pages/${PAGE}`]: NOTION_PAGE },
    writes: [
      {
        tool: 'notion',
        arguments: { action: 'create_page', page_id: PAGE, title: 'Plans' },
        effect: 'once',
        method: 'POST',
        path: '/v1/pages',
        answer: NOTION_PAGE,
      },
      {
        tool: 'notion',
        arguments: { action: 'update_page', page_id: PAGE, title: 'Plan' },
        effect: 'keyed',
        method: 'PATCH',
        path: `/v1/pages/${PAGE}`,
        answer: NOTION_PAGE,
      },
    ],
  },
  {
    kind: 'airtable',
    credentials: { token: TOKEN },
    writes: [
      {
        tool: 'airtable',
        arguments: { action: 'create', base_id: 'app1', table: 'People', fields: { Name: 'Ann' } },
        effect: 'once',
        method: 'POST',
        path: '/v0/app1/People',
        answer: { id: 'rec1' },
      },
      {
        tool: 'airtable',
        arguments: { action: 'delete', base_id: 'app1', table: 'People', record_id: 'rec2' },
        effect: 'keyed',
        method: 'DELETE',
        path: '/v0/app1/People/rec2',
        answer: { id: 'rec2', deleted: true },
        again: { status: 404, answer: { error: 'NOT_FOUND' } },
      },
    ],
  },
];
