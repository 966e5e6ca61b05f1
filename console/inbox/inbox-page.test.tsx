import { expect, test } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { editorIn } from '../../test/support/console/opened-editor.tsx';
import { HOME, openConsole, ORG } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const RIGHTS = { 'GET /api/permissions/me': { body: { permissions: ['approvals.view', 'approvals.manage'] } } };

const approval = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  chat_id: 'a-chat',
  turn_id: 'a-turn',
  call_id: 'a-call',
  workflow_id: null,
  run_id: null,
  step: null,
  user_id: 'ada',
  agent_id: 'an-agent',
  agent_name: 'Analyst',
  tool: 'file_write',
  label: `Writing ${id}.md`,
  arguments: { path: `${id}.md`, content: 'first line\nsecond line', token: '***' },
  edited_arguments: null,
  details: [],
  status: 'pending',
  requested_at: new Date().toISOString(),
  expires_at: new Date(Date.now() + 90_000).toISOString(),
  quorum: 1,
  votes: [],
  remind_at: null,
  escalate_at: null,
  escalated_at: null,
  escalated_to: null,
  decided_by: null,
  decider_name: null,
  decided_at: null,
  note: null,
  question: null,
  answer: null,
  ...more,
});
const pending = (...ids: string[]) => ({ 'GET /api/approvals': { body: ids.map((id) => approval(id)) } });
const decisions = () =>
  script.requests
    .filter(({ path }) => path.endsWith('/decision'))
    .map(({ path, body }) => ({ id: path.split('/')[3], ...(JSON.parse(body) as Record<string, unknown>) }));
const press = (key: string) => fireEvent.keyDown(document.body, { key });
const open = (answers: Parameters<typeof openConsole>[2], search = '') =>
  openConsole(script, `/o/${ORG}/inbox${search}`, { ...RIGHTS, ...answers });

test('a call is approved by keys, with a note, and the next one is shown', async () => {
  open({ ...pending('a', 'b'), 'POST /api/approvals/a/decision': { body: approval('a', { status: 'approved' }) } });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('y');
  const dialog = await screen.findByRole('dialog', { name: 'Approve this?' });
  fireEvent.change(within(dialog).getByLabelText('Note'), { target: { value: 'Go on' } });
  script.answer({
    ...HOME,
    ...RIGHTS,
    ...pending('b'),
    'POST /api/approvals/a/decision': { body: approval('a', { status: 'approved' }) },
  });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await screen.findByRole('region', { name: 'Writing b.md' });
  expect(decisions()).toEqual([{ id: 'a', approve: true, note: 'Go on' }]);
  expect(screen.queryByText('Writing a.md')).toBe(null);
});

test('arguments are readable: short ones in a line, long texts as they are, masks as they come', async () => {
  open(pending('a'));
  const shown = await screen.findByRole('region', { name: 'Writing a.md' });
  expect(within(shown).getByText('a.md').tagName).toBe('CODE');
  expect(shown.querySelector('pre')?.textContent).toBe('first line\nsecond line');
  expect(within(shown).getByText('***')).toBeDefined();
  expect(within(shown).getByText(/^1 min \d+ s left$/)).toBeDefined();
});

test('what waits says when those who have to decide are reminded', async () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const waiting = approval('a', { expires_at: inHours(48), remind_at: inHours(3) });
  open({ 'GET /api/approvals': { body: [waiting] } });
  const shown = await screen.findByRole('region', { name: 'Writing a.md' });
  expect(within(shown).getByText('Reminder').nextElementSibling?.textContent).toBe('in 3 hours');
});

test('what waits says when it is escalated, and to whom it was', async () => {
  const later = new Date(Date.now() + 3 * 3_600_000).toISOString();
  const escalated_to = { user_id: null, user_name: null, role: 'admin' };
  const before = new Date(Date.now() - 3 * 3_600_000).toISOString();
  open({
    'GET /api/approvals': {
      body: [
        approval('a', { escalate_at: later }),
        approval('b', { user_id: 'grace', escalated_at: before, escalated_to }),
      ],
    },
  });
  const shown = await screen.findByRole('region', { name: 'Writing a.md' });
  expect(within(shown).getByText('Escalation').nextElementSibling?.textContent).toBe('in 3 hours');
  fireEvent.click(screen.getByText('Writing b.md'));
  const other = await screen.findByRole('region', { name: 'Writing b.md' });
  expect(within(other).getByText('Escalated').nextElementSibling?.textContent).toBe(
    'to admins and the owner, 3 hours ago',
  );
  // Its chat may be one that they cannot read.
  expect(within(other).queryByText('Open the chat')).toBe(null);
});

test('what several have to approve says who has, and is not approved twice by one', async () => {
  const vote = { user_id: 'ada', user_name: 'Ada', approve: true, note: null, voted_at: new Date().toISOString() };
  open({ 'GET /api/approvals': { body: [approval('a', { quorum: 2, votes: [vote] })] } });
  const shown = await screen.findByRole('region', { name: 'Writing a.md' });
  expect(within(shown).getByText('Approvals').nextElementSibling?.textContent).toBe('1 of 2: Ada');
  await waitFor(() =>
    expect(within(shown).getByRole('button', { name: 'Approve' }).title).toMatch(/^You have approved it/),
  );
});

test('rows of one tool say what tells them from each other, and a decision about several shows each', async () => {
  const details = (address: string) => [{ label: 'Address', value: address }];
  const calls = [
    approval('a', { label: 'Deploy', details: details('https://a.example/'), arguments: {} }),
    approval('b', { label: 'Deploy', details: details('https://b.example/'), arguments: {} }),
  ];
  open({ 'GET /api/approvals': { body: calls } });
  const list = await screen.findByRole('list', { name: 'Decisions' });
  expect(within(list).getByText('https://a.example/')).toBeDefined();
  expect(within(list).getByText('https://b.example/')).toBeDefined();
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all' }));
  press('y');
  const dialog = await screen.findByRole('dialog', { name: 'Approve 2 calls?' });
  expect(
    within(dialog)
      .getAllByText('https://b.example/')
      .map(({ tagName }) => tagName),
  ).toEqual(['SPAN', 'CODE']);
});

test('a row says once what the details of a call and its arguments both say', async () => {
  const address = 'https://a.example/';
  const details = [
    { label: 'Method', value: 'POST' },
    { label: 'Address', value: address },
  ];
  const call = { label: 'Request', details, arguments: { method: 'POST', url: address, timeout: 5 } };
  open({ 'GET /api/approvals': { body: [approval('a', call)] } });
  const list = await screen.findByRole('list', { name: 'Decisions' });
  expect(within(list).getByText(/POST/).textContent).toBe(`POST · ${address} · timeout: 5`);
});

test('several are denied at once', async () => {
  open({
    ...pending('a', 'b', 'c'),
    'POST /api/approvals/a/decision': { body: approval('a', { status: 'denied' }) },
    'POST /api/approvals/c/decision': { body: approval('c', { status: 'denied' }) },
  });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Writing a.md' }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select Writing c.md' }));
  press('n');
  const dialog = await screen.findByRole('dialog', { name: 'Deny 2 calls?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Deny' }));
  await screen.findByText('2 denied');
  expect(decisions()).toEqual([
    { id: 'a', approve: false },
    { id: 'c', approve: false },
  ]);
});

const FILE = {
  type: 'object',
  required: ['path', 'content'],
  properties: {
    path: { type: 'string', title: 'Path', maxLength: 200 },
    content: { type: 'string', title: 'Content' },
    token: { type: 'string', title: 'Token' },
    overwrite: { type: 'boolean', title: 'Overwrite' },
  },
};

test('arguments are changed in the fields of the tool', async () => {
  open({
    ...pending('a'),
    'GET /api/approvals/a': { body: approval('a', { parameters: FILE }) },
    'POST /api/approvals/a/decision': { body: approval('a', { status: 'approved' }) },
  });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('y');
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Change the arguments' }));
  fireEvent.change(await within(dialog).findByLabelText('Path'), { target: { value: 'b.md' } });
  expect(within(dialog).getByLabelText('Content')).toMatchObject({
    tagName: 'TEXTAREA',
    value: 'first line\nsecond line',
  });
  fireEvent.click(within(dialog).getByRole('checkbox', { name: 'Overwrite' }));
  fireEvent.click(within(dialog).getByRole('button', { name: 'Approve' }));
  const content = 'first line\nsecond line';
  const args = { path: 'b.md', content, token: '***', overwrite: true };
  await waitFor(() => expect(decisions()).toEqual([{ id: 'a', approve: true, arguments: args }]));
});

test('arguments that no schema describes are changed as JSON, and sent only when they are an object', async () => {
  open({
    ...pending('a'),
    'GET /api/approvals/a': { body: approval('a', { parameters: { type: 'object' } }) },
    'POST /api/approvals/a/decision': { body: approval('a', { status: 'approved' }) },
  });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('y');
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Change the arguments' }));
  const editor = await editorIn(dialog);
  const type = (text: string) =>
    act(() => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } }));
  const button = within(dialog).getByRole('button', { name: 'Approve' });
  type('[1]');
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'));
  fireEvent.click(button);
  expect(decisions()).toEqual([]);
  type('{"path":"b.md"}');
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(button);
  await waitFor(() => expect(decisions()).toEqual([{ id: 'a', approve: true, arguments: { path: 'b.md' } }]));
});

test('Enter in an argument decides nothing, and in the note it decides', async () => {
  open({
    ...pending('a'),
    'GET /api/approvals/a': { body: approval('a', { parameters: FILE }) },
    'POST /api/approvals/a/decision': { body: approval('a', { status: 'approved' }) },
  });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('y');
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Change the arguments' }));
  const user = userEvent.setup();
  await user.type(await within(dialog).findByLabelText('Path'), '{Enter}x');
  expect(decisions()).toEqual([]);
  await user.type(within(dialog).getByLabelText('Note'), 'Go on{Enter}');
  const args = { path: 'a.mdx', content: 'first line\nsecond line', token: '***' };
  await waitFor(() => expect(decisions()).toEqual([{ id: 'a', approve: true, note: 'Go on', arguments: args }]));
});

test('it is said of a call that its arguments cannot be changed, and it is approved with them', async () => {
  open({
    ...pending('a'),
    'GET /api/approvals/a': { body: approval('a', { parameters: null }) },
    'POST /api/approvals/a/decision': { body: approval('a', { status: 'approved' }) },
  });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('y');
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Change the arguments' }));
  await within(dialog).findByText('The arguments of this call cannot be changed.');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await waitFor(() => expect(decisions()).toEqual([{ id: 'a', approve: true }]));
});

test('numbers of arguments are shown and sent back as they came', async () => {
  const given = '{"id":1234567890123456789,"rate":1.10}';
  const body = JSON.stringify([approval('a', { arguments: 'given', edited_arguments: null })]);
  const exact = body.replace('"given"', given);
  const opened = open({
    'GET /api/approvals': { body: exact },
    'POST /api/approvals/a/decision': { body: exact.slice(1, -1).replace('pending', 'approved') },
  });
  const shown = await screen.findByRole('region', { name: 'Writing a.md' });
  expect(within(shown).getByText('1234567890123456789')).toBeDefined();
  script.answer({
    ...HOME,
    ...RIGHTS,
    'GET /api/approvals': { body: exact.replace('6789,', '6780,') },
    'GET /api/approvals/a': { body: exact.slice(1, -2) + ',"parameters":{"type":"object"}}' },
    'POST /api/approvals/a/decision': { body: exact.slice(1, -1).replace('pending', 'approved') },
  });
  await act(async () => opened.cache.invalidateQueries());
  await screen.findByText('1234567890123456780');
  press('y');
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Change the arguments' }));
  const editor = await editorIn(dialog);
  act(() => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: given } }));
  fireEvent.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await waitFor(() =>
    expect(script.requests.find(({ path }) => path.endsWith('/decision'))?.body).toBe(
      `{"approve":true,"arguments":${given}}`,
    ),
  );
});

test.each([
  ['of calls of others', { user_id: 'grace' }, {}],
  ['where another person must approve', { user_id: 'grace', other_person: true }, { role: 'admin' }],
])('arguments cannot be changed %s', async (_case, more, role) => {
  open({
    'GET /api/permissions/me': { body: { ...RIGHTS['GET /api/permissions/me'].body, ...role } },
    'GET /api/approvals': { body: [approval('a', more)] },
  });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('y');
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).queryByRole('button', { name: 'Change the arguments' })).toBe(null);
});

test('what was decided elsewhere leaves, and by whom is said', async () => {
  const decided = { status: 'denied', decider_name: 'Grace', decided_at: new Date().toISOString() };
  const answers = {
    'POST /api/approvals/a/decision': { status: 409, body: { detail: 'The call was denied by Grace' } },
    'GET /api/approvals/a': { body: approval('a', decided) },
  };
  open({ ...pending('a'), ...answers });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('y');
  const dialog = await screen.findByRole('dialog');
  script.answer({ ...HOME, ...RIGHTS, ...pending(), ...answers });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await screen.findAllByText(/^Grace has denied it already/);
  await screen.findByText("You're all caught up");
});

test('a note that is typed stays when the last call is decided elsewhere meanwhile', async () => {
  const { cache } = open(pending('a'));
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('n');
  const note = within(await screen.findByRole('dialog')).getByLabelText<HTMLTextAreaElement>('Note');
  fireEvent.change(note, { target: { value: 'Not before Monday' } });
  script.answer({ ...HOME, ...RIGHTS, ...pending() });
  await act(async () => cache.invalidateQueries({ queryKey: [ORG, 'approvals'] }));
  await screen.findByText("You're all caught up");
  expect(within(screen.getByRole('dialog')).getByLabelText<HTMLTextAreaElement>('Note').value).toBe(
    'Not before Monday',
  );
});

test('a decision that cannot be made keeps what was typed, and says why', async () => {
  open({ ...pending('a'), 'POST /api/approvals/a/decision': { status: 403, body: { detail: 'Not with this tool' } } });
  await screen.findByRole('region', { name: 'Writing a.md' });
  press('n');
  const dialog = await screen.findByRole('dialog', { name: 'Deny this?' });
  fireEvent.change(within(dialog).getByLabelText('Note'), { target: { value: 'No' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Deny' }));
  await within(dialog).findByText('Not with this tool');
  expect(within(dialog).getByLabelText<HTMLTextAreaElement>('Note').value).toBe('No');
});

test('how much waits is counted in the navigation and in the name of the tab', async () => {
  openConsole(script, `/o/${ORG}`, {
    ...RIGHTS,
    'GET /api/approvals': { body: [approval('a')], headers: { 'x-total-count': '3' } },
  });
  expect((await screen.findAllByRole('link', { name: 'Inbox 3 waiting' })).length).toBeGreaterThan(0);
  await waitFor(() => expect(document.title).toMatch(/^\(3\) Hello, Ada/));
});

test('without the right to decide the buttons say so, and keys do nothing', async () => {
  open({ ...pending('a'), 'GET /api/permissions/me': { body: { permissions: ['approvals.view'] } } });
  const shown = await screen.findByRole('region', { name: 'Writing a.md' });
  const approve = within(shown).getByRole('button', { name: 'Approve' });
  await waitFor(() => expect(approve.getAttribute('title')).toContain('“Approvals: view and change”'));
  press('y');
  expect(screen.queryByRole('dialog')).toBe(null);
});

test('what was decided is kept with who has decided, why, and with which arguments', async () => {
  const more = {
    status: 'approved',
    decider_name: 'Grace',
    decided_at: new Date().toISOString(),
    note: 'To the other file',
    edited_arguments: { path: 'other.md' },
  };
  open({ 'GET /api/approvals': { body: [approval('a', more), approval('b')] } }, '?view=decided');
  const shown = await screen.findByRole('region', { name: 'Writing a.md' });
  expect(within(shown).getByText(/^by Grace/)).toBeDefined();
  expect(within(shown).getByText('To the other file')).toBeDefined();
  expect(within(shown).getByText('other.md')).toBeDefined();
  expect(screen.queryByText('Writing b.md')).toBe(null);
});

test('a question is answered beside the list, and no key decides about it', async () => {
  const question = {
    text: 'Which one?',
    options: null,
    default_answer: '4.1',
    user_id: null,
    user_name: null,
    role: 'member',
  };
  const asked = approval('a', { label: 'Question: Which one?', tool: 'ask_person', question });
  open({
    'GET /api/permissions/me': { body: { ...RIGHTS['GET /api/permissions/me'].body, role: 'member' } },
    'GET /api/approvals': { body: [asked] },
    'POST /api/approvals/a/decision': { body: { ...asked, status: 'answered', answer: '4.2' } },
  });
  const shown = await screen.findByRole('region', { name: 'Question: Which one?' });
  expect(screen.queryByRole('checkbox', { name: 'Select Question: Which one?' })).toBe(null);
  press('y');
  expect(screen.queryByRole('dialog')).toBe(null);
  fireEvent.change(within(shown).getByLabelText('Your answer'), { target: { value: '4.2' } });
  const button = within(shown).getByRole('button', { name: 'Answer' });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(button);
  await waitFor(() => expect(decisions()).toEqual([{ id: 'a', approve: true, answer: '4.2' }]));
});
