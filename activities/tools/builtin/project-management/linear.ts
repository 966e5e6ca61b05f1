import { z } from 'zod';
import { limitWaitMs, type ServiceAnswer } from '../../context.ts';
import { ToolFailure, type ToolFailureClass } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';
import { cursorParameter } from '../parameters.ts';
import { type ActionService, readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';

const LISTED = 25;

const id = z.string().regex(/^[\w-]{1,64}$/);
const parameters = z.strictObject({
  query: z.string().max(500).optional().describe('In search: words; without them the issues changed last.'),
  id: id.optional().describe('Id or key of an issue, such as ENG-42.'),
  team_id: id.optional().describe('Id of a team (list_teams).'),
  title: z.string().min(1).max(500).optional().describe('Title of the issue.'),
  description: z.string().max(100_000).optional().describe('Markdown.'),
  state_id: id.optional().describe('Id of a state of the team (list_teams).'),
  assignee_id: id.optional().describe('Id of a user (list_users).'),
  project_id: id.optional().describe('Id of a project (list_projects).'),
  cycle_id: id.optional().describe('Id of a cycle.'),
  priority: z.int().min(0).max(4).optional().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low.'),
  comment: z.string().min(1).max(100_000).optional().describe('Markdown.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;

const { keyed, read } = actionsWith<Arguments>();
const BRIEF =
  'id identifier title url priorityLabel dueDate updatedAt state { id name type } assignee { id name } team { id key name }';
const WHOLE = `${BRIEF} description estimate createdAt completedAt project { id name } cycle { id number name } labels { nodes { name } }`;
const COMMENTS = 'comments(first: 50) { nodes { id body createdAt user { name } } }';
const COMMENT = 'id url body issue { identifier }';

const list = z.object({
  nodes: z.array(z.unknown()),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
});

const ACTIONS = {
  search: read([], async (args, call) =>
    args.query === undefined ? listIssues(args, call) : searchIssues(args, call),
  ),
  get: read(['id'], async (args, { service }) => {
    const query = `query($id: String!) { issue(id: $id) { ${WHOLE} ${COMMENTS} } }`;
    return (await askLinear(service, { query, variables: { id: args.id } }))['issue'];
  }),
  create: keyed(['team_id', 'title'], async (args, call) => {
    const query = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ${BRIEF} } } }`;
    const input = { id: call.context.idempotencyKey, ...fieldsOf(args), teamId: args.team_id };
    return createOnce({ query, input, at: ['issueCreate', 'issue'], fields: BRIEF }, call);
  }),
  update: keyed(['id'], async (args, { service }) => {
    const query = `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { ${BRIEF} } } }`;
    const input = { ...fieldsOf(args), teamId: args.team_id };
    const data = await askLinear(service, { query, variables: { id: args.id, input }, effect: 'keyed' });
    return memberAt(data, ['issueUpdate', 'issue']);
  }),
  comment: keyed(['id', 'comment'], async (args, call) => {
    const query = `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { comment { ${COMMENT} } } }`;
    const input = { id: call.context.idempotencyKey, issueId: args.id, body: args.comment };
    return createOnce({ query, input, at: ['commentCreate', 'comment'], fields: COMMENT }, call);
  }),
  list_teams: read([], async (args, call) =>
    listAll('teams', 'id key name states { nodes { id name type } } activeCycle { id number endsAt }', args, call),
  ),
  list_projects: read([], async (args, call) =>
    listAll(
      'projects',
      'id name description url status { name } progress startDate targetDate lead { name }',
      args,
      call,
    ),
  ),
  list_users: read([], async (args, call) => listAll('users', 'id name displayName email active', args, call)),
};

const graphqlError = z.object({
  message: z.string(),
  extensions: z
    .object({
      code: z.string().optional(),
      type: z.string().optional(),
      userPresentableMessage: z.string().optional(),
    })
    .optional(),
});
const envelope = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(graphqlError).optional(),
});

/** The meaning of codes and types of Linear's errors; unlisted ones are failures of Linear. */
const CLASSES: readonly (readonly [RegExp, ToolFailureClass])[] = [
  [/ratelimit/, 'rate_limited'],
  [/not found/, 'not_found'],
  [/auth|forbidden|feature not accessible/, 'denied'],
  [/input|argument|user error|graphql/, 'invalid_input'],
];

/**
 * Works with issues in Linear. What it creates has an id that follows from the call, so a repetition creates nothing.
 */
export const linear = defineServiceTool({
  key: 'linear',
  name: 'Linear',
  description:
    'Searches, reads, creates, changes and comments on issues in Linear; lists teams with their states and current cycle, projects and users.',
  category: 'project-management',
  kinds: ['linear'],
  parameters,
  actions: ACTIONS,
});

function fieldsOf(args: Arguments) {
  return {
    title: args.title,
    description: args.description,
    stateId: args.state_id,
    assigneeId: args.assignee_id,
    projectId: args.project_id,
    cycleId: args.cycle_id,
    priority: args.priority,
  };
}

async function searchIssues({ query: term, team_id: teamId, cursor: after }: Arguments, { service }: ServiceCall) {
  const query = `query($term: String!, $teamId: String, $first: Int, $after: String) {
    searchIssues(term: $term, teamId: $teamId, first: $first, after: $after) { ${pageOf(BRIEF)} } }`;
  const variables = { term, teamId, first: LISTED, after };
  const data = await askLinear(service, { query, variables });
  return presentPage('issues', data['searchIssues']);
}

async function listIssues({ team_id: teamId, cursor: after }: Arguments, { service }: ServiceCall) {
  const query = `query($filter: IssueFilter, $first: Int, $after: String) {
    issues(filter: $filter, first: $first, after: $after, orderBy: updatedAt) { ${pageOf(BRIEF)} } }`;
  const filter = teamId === undefined ? undefined : { team: { id: { eq: teamId } } };
  const data = await askLinear(service, { query, variables: { filter, first: LISTED, after } });
  return presentPage('issues', data['issues']);
}

async function listAll(name: string, fields: string, { cursor: after }: Arguments, { service }: ServiceCall) {
  const query = `query($first: Int, $after: String) { ${name}(first: $first, after: $after) { ${pageOf(fields)} } }`;
  const data = await askLinear(service, { query, variables: { first: LISTED, after } });
  return presentPage(name, data[name]);
}

function pageOf(fields: string): string {
  return `nodes { ${fields} } pageInfo { hasNextPage endCursor }`;
}

function presentPage(name: string, page: unknown) {
  const { data } = list.safeParse(page);
  if (data === undefined) throw new ToolFailure('upstream', `Linear has answered without ${name}`);
  return { [name]: data.nodes, next: data.pageInfo.hasNextPage ? (data.pageInfo.endCursor ?? undefined) : undefined };
}

interface Creation {
  readonly query: string;
  readonly input: Readonly<Record<string, unknown>> & { readonly id: string };
  /** The mutation and the member of its payload that is created, which is the name of the query for one as well. */
  readonly at: readonly [mutation: string, thing: string];
  readonly fields: string;
}

// Linear refuses an id that it has already: then this call has created the thing before.
async function createOnce({ query, input, at, fields }: Creation, { service }: ServiceCall): Promise<unknown> {
  try {
    return memberAt(await askLinear(service, { query, variables: { input }, effect: 'keyed' }), at);
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.kind === 'rate_limited' || error.kind === 'denied') throw error;
    const [, thing] = at;
    const reading = `query($id: String!) { ${thing}(id: $id) { ${fields} } }`;
    const there = await askLinear(service, { query: reading, variables: { id: input.id } }).catch(() => undefined);
    if (there?.[thing] === undefined || there[thing] === null) throw error;
    return there[thing];
  }
}

function memberAt(data: Readonly<Record<string, unknown>>, [mutation, thing]: readonly [string, string]): unknown {
  const payload = z.record(z.string(), z.unknown()).safeParse(data[mutation]).data;
  return payload?.[thing];
}

/** A GraphQL operation with its variables; those that are undefined are left out. */
interface Operation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** `read` unless given. */
  readonly effect?: RunEffect;
}

type GraphqlError = z.output<typeof graphqlError>;

/** Asks Linear, and returns the data of its answer. Throws `ToolFailure` in the words of its first error. */
async function askLinear(service: ActionService, { query, variables = {}, effect = 'read' }: Operation) {
  // Errors come with the status 200 or 400, whatever they are.
  const sent = { method: 'POST', path: '/graphql', json: { query, variables }, effect, accepts: [400] } as const;
  const answer = await service.request(sent);
  const { data, errors: [error] = [] } = readAnswer(answer, envelope);
  if (error !== undefined) throw failureOf(error, answer);
  if (data === undefined || data === null)
    throw new ToolFailure('upstream', 'Linear has answered without any data', { isUncertain: effect !== 'read' });
  return data;
}

function failureOf({ message, extensions = {} }: GraphqlError, answer: ServiceAnswer): ToolFailure {
  const { code = '', type = '', userPresentableMessage: words = message } = extensions;
  const text = `${code} ${type} ${message}`.toLowerCase();
  const kind = CLASSES.find(([pattern]) => pattern.test(text))?.[1] ?? 'upstream';
  return new ToolFailure(kind, `Linear answers: ${words.slice(0, 500)}`, {
    isForeign: true,
    isUncertain: kind === 'upstream' && answer.effect !== 'read',
    waitMs:
      kind === 'rate_limited' ? limitWaitMs({ headers: answer.headers, body: answer.bytes }, Date.now()) : undefined,
  });
}
