import { z } from 'zod';
import { cursorParameter } from '../parameters.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { type ActionService, type ActionRequest, pickFields, readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool } from '../services/service-tool.ts';

const LISTED = 25;
const MAX_STORIES = 100;
/** Asana's status for a search of a workspace whose plan has none. */
const PAYMENT_REQUIRED = 402;

const id = z.string().regex(/^\d{1,30}$/);
const parameters = z.strictObject({
  workspace_id: id.optional().describe('Id of a workspace (list_workspaces).'),
  project_id: id.optional().describe('Id of a project; in search all its tasks, in create where the task goes.'),
  section_id: id.optional().describe('In create: id of a section of the project.'),
  task_id: id.optional().describe('Id of the task.'),
  query: z.string().min(1).max(500).optional().describe('In search: words, in the workspace.'),
  name: z.string().min(1).max(1_000).optional().describe('Name of the task.'),
  notes: z.string().max(50_000).optional().describe('Description of the task, plain text.'),
  due_on: z.iso.date().optional().describe('Day such as 2026-05-31.'),
  assignee: z.string().max(200).optional().describe('Id or mail address of a user, or `me`.'),
  comment: z.string().min(1).max(50_000).optional().describe('Plain text.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;

const { keyed, once, read } = actionsWith<Arguments>();
const BRIEF = 'gid name completed due_on assignee.name permalink_url modified_at';
const WHOLE = `${BRIEF} notes created_at completed_at start_on parent.name tags.name memberships.project.name memberships.section.name custom_fields.name custom_fields.display_value`;
const TASK = topOf(WHOLE);

const page = z.object({
  data: z.array(z.unknown()),
  next_page: z.object({ offset: z.string() }).nullish(),
});
const one = z.object({ data: z.unknown() });
const stories = z.object({ data: z.array(z.looseObject({ type: z.string().optional() })) });

const ACTIONS = {
  search: read([], async (args, { service }) => {
    if (args.query !== undefined && args.workspace_id !== undefined)
      return { tasks: await searchWorkspace(args.workspace_id, args.query, service) };
    if (args.project_id !== undefined)
      return listed('tasks', service, {
        path: `/projects/${args.project_id}/tasks`,
        fields: BRIEF,
        cursor: args.cursor,
      });
    throw new ToolFailure('invalid_input', 'The action search requires query and workspace_id, or project_id');
  }),
  get: read(['task_id'], async ({ task_id: taskId }, { service }) => {
    const answer = await service.request({ path: `/tasks/${taskId}`, query: { opt_fields: listOf(WHOLE) } });
    const query = { opt_fields: 'type,text,created_at,created_by.name', limit: MAX_STORIES };
    const comments = (await service.read({ path: `/tasks/${taskId}/stories`, query }, stories)).data.filter(
      ({ type }) => type === 'comment',
    );
    const task = pickFields(readAnswer(answer, one).data, TASK) as object;
    return { ...task, comments: pickFields(comments, 'gid text created_at created_by') };
  }),
  create: once(['name'], async (args, { service }) =>
    write(service, {
      method: 'POST',
      path: '/tasks',
      json: { data: { ...fieldsOf(args), ...parentOf(args) } },
    }),
  ),
  update: keyed(['task_id'], async (args, { service }) =>
    write(service, { method: 'PUT', path: `/tasks/${args.task_id}`, json: { data: fieldsOf(args) } }),
  ),
  complete: keyed(['task_id'], async ({ task_id: taskId }, { service }) =>
    write(service, { method: 'PUT', path: `/tasks/${taskId}`, json: { data: { completed: true } } }),
  ),
  comment: once(['task_id', 'comment'], async ({ task_id: taskId, comment }, { service }) =>
    write(service, {
      method: 'POST',
      path: `/tasks/${taskId}/stories`,
      json: { data: { text: comment } },
    }),
  ),
  list_workspaces: read([], async ({ cursor }, { service }) =>
    listed('workspaces', service, { path: '/workspaces', fields: 'gid name', cursor }),
  ),
  list_projects: read(['workspace_id'], async ({ workspace_id: workspace, cursor }, { service }) =>
    listed('projects', service, {
      path: `/workspaces/${workspace}/projects`,
      fields: 'gid name archived due_on permalink_url',
      cursor,
    }),
  ),
  list_sections: read(['project_id'], async ({ project_id: project, cursor }, { service }) =>
    listed('sections', service, { path: `/projects/${project}/sections`, fields: 'gid name', cursor }),
  ),
};

/** Works with tasks of Asana. It has no keys for what is created, so that is never repeated. */
export const asana = defineServiceTool({
  key: 'asana',
  name: 'Asana',
  description:
    'Searches, reads, creates, changes, completes and comments on tasks in Asana; lists workspaces, projects and sections.',
  category: 'project-management',
  kinds: ['asana'],
  parameters,
  actions: ACTIONS,
});

interface List {
  readonly path: string;
  readonly fields: string;
  readonly cursor: string | undefined;
}

async function listed(name: string, service: ActionService, { path, fields, cursor }: List) {
  const query = { limit: LISTED, offset: cursor, opt_fields: listOf(fields) };
  const { data, next_page: next } = await service.read({ path, query }, page);
  return { [name]: pickFields(data, topOf(fields)), next: next?.offset };
}

// Plans without a search look names up.
async function searchWorkspace(workspace: string, text: string, service: ActionService): Promise<unknown> {
  const path = `/workspaces/${workspace}/tasks/search`;
  const asked = { text, limit: LISTED, sort_by: 'modified_at', opt_fields: listOf(BRIEF) };
  const answer = await service.request({ path, query: asked, accepts: [PAYMENT_REQUIRED] });
  if (answer.status !== PAYMENT_REQUIRED) return pickFields(readAnswer(answer, page).data, topOf(BRIEF));
  const query = { resource_type: 'task', query: text, count: LISTED, opt_fields: listOf(BRIEF) };
  return pickFields(
    (await service.read({ path: `/workspaces/${workspace}/typeahead`, query }, page)).data,
    topOf(BRIEF),
  );
}

async function write(service: ActionService, request: ActionRequest): Promise<unknown> {
  const { data } = await service.read(request, one);
  return pickFields(data, 'gid name completed due_on permalink_url created_at');
}

function fieldsOf({ name, notes, due_on: dueOn, assignee }: Arguments) {
  return { name, notes, due_on: dueOn, assignee };
}

function parentOf({ workspace_id: workspace, project_id: project, section_id: section }: Arguments) {
  if (project === undefined) return { workspace };
  return section === undefined ? { projects: [project] } : { memberships: [{ project, section }] };
}

// As the API takes names, and as it names what it answers.
function listOf(fields: string): string {
  return fields.replaceAll(' ', ',');
}

function topOf(fields: string): string {
  return fields.replaceAll(/\.\S+/g, '');
}
