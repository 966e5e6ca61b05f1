import { expect, test } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderInOrg } from '../../test/support/console/hook-in-org.tsx';
import { HOME, openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { useAddIssue } from './queries.ts';

const script = serveScript();
const TIME = '2026-11-22T09:30:00.000Z';
const LATER = '2026-11-22T09:31:00.000Z';
const ISSUE = {
  id: 'an-issue',
  project_id: 'a-project',
  number: 7,
  title: 'The door sticks',
  description: 'It does.',
  priority: 'medium',
  labels: ['wood'],
  assigned_agent_id: null,
  assigned_user_id: null,
  status: 'backlog',
  assigned_agent_name: null,
  assigned_user_name: null,
  user_id: 'ada',
  user_name: 'Ada',
  agent_id: null,
  agent_name: null,
  remote: null,
  created_at: TIME,
  updated_at: TIME,
};
const RIGHTS = ['issues.view', 'issues.manage', 'projects.view', 'ui.advanced_mode'];
const answers = (issue: object, more: Parameters<typeof openConsole>[2] = {}) => ({
  'GET /api/permissions/me': { body: { permissions: RIGHTS } },
  'GET /api/agents': { body: [] },
  'GET /api/projects': { body: [{ id: 'a-project', name: 'House' }] },
  'GET /api/issues': { body: [issue] },
  'GET /api/issues/an-issue': { body: issue },
  'GET /api/issues/an-issue/comments': { body: [] },
  'GET /api/tasks': { body: [] },
  ...more,
});
const open = (more: Parameters<typeof openConsole>[2] = {}) =>
  openConsole(script, `/o/${ORG}/issues/an-issue`, answers(ISSUE, more));
const sent = (method: string, path: string) =>
  script.requests
    .filter((request) => request.method === method && request.path === path)
    .map(({ headers, body }) => ({ version: headers['if-match'], body: JSON.parse(body) as unknown }));

test('labels that are typed outlive that the issue is read again, and are stored once, as of what was seen', async () => {
  const { cache } = open();
  const field = await screen.findByLabelText<HTMLInputElement>('Labels');
  fireEvent.change(field, { target: { value: 'wood, oak' } });
  const theirs = { ...ISSUE, labels: ['wood', 'door'], updated_at: LATER };
  const failed = { status: 412, body: { detail: 'The issue was changed meanwhile' } };
  script.answer(answers(theirs, { 'PATCH /api/issues/an-issue': failed }));
  await act(async () => cache.invalidateQueries({ queryKey: [ORG, 'issues', 'one'] }));
  expect(field.value).toBe('wood, oak');
  fireEvent.keyDown(field, { key: 'Enter' });
  fireEvent.blur(field);
  await screen.findAllByText('The issue was changed meanwhile');
  const change = { labels: ['wood', 'oak'] };
  expect(sent('PATCH', '/api/issues/an-issue')).toEqual([{ version: `"${TIME}"`, body: change }]);
  expect(field.value).toBe('wood, oak');

  const stored = { ...theirs, ...change };
  script.answer(answers(stored, { 'PATCH /api/issues/an-issue': { body: stored } }));
  fireEvent.keyDown(field, { key: 'Enter' });
  fireEvent.blur(field);
  await waitFor(() => expect(sent('PATCH', '/api/issues/an-issue')).toHaveLength(2));
  expect(sent('PATCH', '/api/issues/an-issue')[1]).toEqual({ version: `"${LATER}"`, body: change });
});

test('a description that somebody else has changed meanwhile is not written over unasked', async () => {
  open({ 'PATCH /api/issues/an-issue': { status: 412, body: { detail: 'Changed meanwhile' } } });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Edit the title and the description' }));
  await user.type(screen.getByLabelText('Description'), ' Much.');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await user.click(await screen.findByRole('button', { name: 'Overwrite with mine' }));
  const body = { description: 'It does. Much.' };
  await waitFor(() =>
    expect(sent('PATCH', '/api/issues/an-issue')).toEqual([
      { version: `"${TIME}"`, body },
      { version: undefined, body },
    ]),
  );
});

test('the tab is named after the issue, and after the list again once it is closed', async () => {
  const { history } = open();
  await waitFor(() => expect(document.title).toBe('The door sticks · Everturn'));
  history.push(`/o/${ORG}/issues`);
  await waitFor(() => expect(document.title).toBe('Issues · Everturn'));
});

test('an issue that was added but not moved to its status is told so, not added again', async () => {
  script.answer({
    ...HOME,
    'POST /api/issues': { status: 201, body: ISSUE },
    'PATCH /api/issues/an-issue': { status: 403, body: { detail: 'Not yours' } },
  });
  const add = renderInOrg(useAddIssue);
  const fields = { project_id: 'a-project', title: 'The door sticks' };
  const { issue, problem } = await act(async () => add.current.mutateAsync({ fields, status: 'in_progress' }));
  expect([issue.id, issue.status, problem?.message]).toEqual(['an-issue', 'backlog', 'Not yours']);
});

const comment = {
  id: 'a-comment',
  issue_id: 'an-issue',
  content: 'Sand it.',
  user_id: 'grace',
  user_name: 'Grace',
  agent_id: null,
  agent_name: null,
  remote: null,
  created_at: TIME,
  updated_at: TIME,
};

test('an administrator can delete what others have said, and not change it', async () => {
  open({
    'GET /api/permissions/me': { body: { role: 'admin', permissions: RIGHTS } },
    'GET /api/issues/an-issue/comments': { body: [comment] },
  });
  expect(await screen.findByLabelText('Delete the comment')).toBeDefined();
  expect(screen.queryByLabelText('Edit the comment')).toBeNull();
});

test('the field for a comment comes with those that are there, below which it stays', async () => {
  const comments = Promise.withResolvers<{ body: unknown }>();
  open({ 'GET /api/issues/an-issue/comments': async () => comments.promise });
  await screen.findByLabelText('Labels');
  expect(screen.queryByLabelText('Comment')).toBeNull();
  comments.resolve({ body: [comment] });
  await screen.findByLabelText('Comment');
  expect(screen.getByText(comment.content)).toBeTruthy();
});

test('an author changes a comment', async () => {
  const own = { ...comment, user_id: 'ada' };
  const path = '/api/issues/an-issue/comments/a-comment';
  open({ 'GET /api/issues/an-issue/comments': { body: [own] }, [`PATCH ${path}`]: { body: own } });
  await userEvent.click(await screen.findByLabelText('Edit the comment'));
  const field = screen.getByRole('textbox', { name: 'Edit the comment' });
  await userEvent.type(field, ' And oil it.');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PATCH', path)).toMatchObject([{ body: { content: 'Sand it. And oil it.' } }]));
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Edit the comment' })).toBeNull());
});
