import { z } from 'zod';
import type { ServiceAnswer } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { adfToMarkdown, toAdf } from '../atlassian.ts';
import { markdownBlocks } from '../markdown-text.ts';
import { cursorParameter } from '../parameters.ts';
import { pickFields, readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';

const LISTED = 25;

const parameters = z.strictObject({
  jql: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe('In search, such as `project = WEB AND status != Done ORDER BY updated`.'),
  key: z
    .string()
    .regex(/^(?:[A-Za-z]\w{0,30}-)?\d{1,12}$/)
    .optional()
    .describe('Key of the issue, such as WEB-7.'),
  project: z
    .string()
    .regex(/^\w{1,64}$/)
    .optional()
    .describe('In create: key of the project.'),
  type: z.string().max(100).optional().describe('In create: name of the issue type, such as Task.'),
  summary: z.string().min(1).max(255).optional().describe('Title of the issue.'),
  description: z.string().max(30_000).optional().describe('Markdown.'),
  fields: z
    .record(z.string().regex(/^\w{1,100}$/), z.unknown())
    .optional()
    .describe(
      'Further fields in Jira\'s form, such as {"labels":["a"],"assignee":{"accountId":"..."},"priority":{"name":"High"}}.',
    ),
  transition: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the transition, or of the status that it leads to.'),
  comment: z.string().min(1).max(30_000).optional().describe('Markdown.'),
  query: z.string().max(200).optional().describe('In list_projects and list_users: part of a name.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;

const { keyed, once, read } = actionsWith<Arguments>();
const issues = z.object({ issues: z.array(z.unknown()), nextPageToken: z.string().nullish() });
const projects = z.object({
  values: z.array(z.looseObject({ issueTypes: z.unknown().optional() })),
  startAt: z.number(),
  isLast: z.boolean().optional(),
});
const transitions = z.object({
  transitions: z.array(z.object({ id: z.string(), name: z.string(), to: z.object({ name: z.string() }).optional() })),
});

const ACTIONS = {
  search: read(['jql'], async ({ jql, cursor }, { service }) => {
    const json = { jql, fields: BRIEF_FIELDS, maxResults: LISTED, nextPageToken: cursor };
    const { issues: found, nextPageToken: next } = await service.read(
      { method: 'POST', path: '/search/jql', json },
      issues,
    );
    return { issues: found.map(presentIssue), next: next ?? undefined };
  }),
  get: read(['key'], async ({ key }, { service }) => {
    const query = { fields: WHOLE_FIELDS.join(',') };
    return presentIssue((await service.request({ path: `/issue/${key}`, query })).json());
  }),
  create: once(['project', 'type', 'summary'], async (args, call) => {
    const required = { project: { key: args.project }, issuetype: { name: args.type } };
    const json = { fields: { ...(await fieldsOf(args, call)), ...required } };
    return call.service.pick({ method: 'POST', path: '/issue', json }, 'id key');
  }),
  update: keyed(['key'], async ({ key, ...args }, call) => {
    const json = { fields: await fieldsOf(args, call) };
    await call.service.request({ method: 'PUT', path: `/issue/${key}`, json });
    return { key, updated: Object.keys(json.fields) };
  }),
  transition: once(['key', 'transition'], async ({ key, transition, fields }, { service }) => {
    const path = `/issue/${key}/transitions`;
    const { id, to } = transitionNamed(transition, await service.request({ path }));
    await service.request({ method: 'POST', path, json: { transition: { id }, fields } });
    return { key, status: to?.name };
  }),
  comment: once(['key', 'comment'], async ({ key, comment }, { service, context }) => {
    const json = { body: toAdf(await markdownBlocks(comment, context)) };
    return service.pick({ method: 'POST', path: `/issue/${key}/comment`, json }, 'id created');
  }),
  list_projects: read([], async ({ query, cursor: startAt }, { service }) => {
    const asked = { query, startAt, maxResults: LISTED, expand: 'issueTypes' };
    const { values, startAt: from, isLast } = await service.read({ path: '/project/search', query: asked }, projects);
    return {
      projects: values.map((project) => ({
        ...(pickFields(project, 'id key name') as object),
        issue_types: pickFields(project.issueTypes, 'name subtask'),
      })),
      next: isLast === false ? String(from + values.length) : undefined,
    };
  }),
  list_users: read(['query'], async ({ query: words }, { service }) => {
    const query = { query: words, maxResults: LISTED };
    return { users: await service.pick({ path: '/user/search', query }, 'accountId displayName emailAddress active') };
  }),
};

/** The fields of issues in a list. */
const BRIEF_FIELDS = [
  'summary',
  'status',
  'issuetype',
  'priority',
  'assignee',
  'project',
  'labels',
  'duedate',
  'updated',
];
/** The fields of one issue. */
const WHOLE_FIELDS = [
  ...BRIEF_FIELDS,
  'reporter',
  'created',
  'resolution',
  'resolutiondate',
  'parent',
  'subtasks',
  'components',
  'fixVersions',
  'description',
  'comment',
];

const MAX_COMMENTS = 50;
const issue = z.object({ id: z.string(), key: z.string(), fields: z.record(z.string(), z.unknown()) });
const person = z.object({ displayName: z.string() });
const named = z.object({ name: z.string() });
const keyedSchema = z.object({ key: z.string() });
const comments = z.object({
  comments: z.array(
    z.looseObject({ id: z.string(), author: person.nullish(), created: z.string(), body: z.unknown().optional() }),
  ),
});

/** Works with issues in Jira Cloud. It has no keys for what is created, so that is never repeated. */
export const jira = defineServiceTool({
  key: 'jira',
  name: 'Jira',
  description:
    'Searches issues in Jira by JQL; reads, creates, changes, moves and comments on them; lists projects with their issue types, and users.',
  category: 'project-management',
  kinds: ['jira'],
  parameters,
  actions: ACTIONS,
});

async function fieldsOf(
  { summary, description, fields }: Pick<Arguments, 'summary' | 'description' | 'fields'>,
  { context }: ServiceCall,
) {
  return {
    ...fields,
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description: toAdf(await markdownBlocks(description, context)) }),
  };
}

function transitionNamed(name: string, answer: ServiceAnswer) {
  const { transitions: known } = readAnswer(answer, transitions);
  const wanted = name.toLowerCase();
  const found =
    known.find((each) => each.name.toLowerCase() === wanted) ??
    known.find(({ to }) => to?.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const names = known.map((each) => `${each.name} (to ${each.to?.name ?? 'an unknown status'})`).join(', ');
  throw new ToolFailure('invalid_input', `The issue has no transition ${name} now; there is ${names || 'none'}`, {
    isForeign: true,
  });
}

/** Returns an issue with plain values and its texts in Markdown. */
function presentIssue(value: unknown): unknown {
  const { data } = issue.safeParse(value);
  if (data === undefined) return pickFields(value, 'id key');
  const { description, comment, ...fields } = data.fields;
  const plain = Object.entries(fields).map(([name, each]) => [name, plainValue(each)] as const);
  return {
    id: data.id,
    key: data.key,
    ...Object.fromEntries(plain.filter(([, each]) => each !== null && each !== undefined)),
    ...(description !== undefined && description !== null && { description: adfToMarkdown(description) }),
    ...(comment !== undefined && { comments: commentsIn(comment) }),
  };
}

// Jira names a person, a status or another issue with much around the name.
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => plainValue(each));
  return (
    person.safeParse(value).data?.displayName ??
    keyedSchema.safeParse(value).data?.key ??
    named.safeParse(value).data?.name ??
    value
  );
}

function commentsIn(value: unknown) {
  return (comments.safeParse(value).data?.comments ?? [])
    .slice(-MAX_COMMENTS)
    .map(({ id, author, created, body }) => ({ id, author: author?.displayName, created, body: adfToMarkdown(body) }));
}
