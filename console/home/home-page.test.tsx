import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const may = (...permissions: string[]) => ({
  'GET /api/permissions/me': { body: { permissions, usage: { budgets: [] } } },
});

const APPROVAL = {
  id: 'an-approval',
  chat_id: 'a-chat',
  agent_name: 'Ana\u200Blyst',
  tool: 'email_send',
  label: 'Send',
  question: null,
  requested_at: new Date().toISOString(),
};

test('a decision that waits leads to where it is made, and its names show what cannot be seen', async () => {
  openConsole(script, `/o/${ORG}`, { ...may('approvals.view'), 'GET /api/approvals': { body: [APPROVAL] } });
  const link = await screen.findByRole('link', { name: 'Ana⟨U+200B⟩lyst: Send' });
  expect(link.getAttribute('href')).toBe(`/o/${ORG}/inbox?id=an-approval`);
});

test('a step of a workflow that waits is told apart from a call', async () => {
  const step = { ...APPROVAL, tool: null, label: 'Step "send" of "Report"' };
  openConsole(script, `/o/${ORG}`, { ...may('approvals.view'), 'GET /api/approvals': { body: [step] } });
  await screen.findByRole('link', { name: 'Step "send" of "Report" waits to begin' });
});

test('of many decisions the newest are listed, and the inbox has the others', async () => {
  const body = Array.from({ length: 7 }, (_, at) => ({ ...APPROVAL, id: `approval-${at}` }));
  openConsole(script, `/o/${ORG}`, {
    ...may('approvals.view'),
    'GET /api/approvals': { body, headers: { 'x-total-count': '7' } },
  });
  const attention = within(await screen.findByRole('region', { name: 'Needs your attention' }));
  const link = await attention.findByRole('link', { name: '2 more decisions wait in the inbox' });
  expect(link.getAttribute('href')).toBe(`/o/${ORG}/inbox`);
  expect(attention.getAllByRole('link', { name: /: Send$/ })).toHaveLength(5);
});

test('a chat that waits for a decision is not listed beside that decision', async () => {
  const chat = {
    id: 'a-chat',
    title: 'Release',
    status: 'waiting',
    waiting_for: 'approval',
    updated_at: APPROVAL.requested_at,
  };
  const provider = { ...chat, id: 'another', title: 'Report', waiting_for: 'provider' };
  openConsole(script, `/o/${ORG}`, {
    ...may('approvals.view'),
    'GET /api/approvals': { body: [APPROVAL] },
    'GET /api/chats': { body: [chat, provider] },
  });
  const attention = within(await screen.findByRole('region', { name: 'Needs your attention' }));
  await attention.findByRole('link', { name: /: Send$/ });
  await attention.findByRole('link', { name: 'Report' });
  expect(attention.queryByRole('link', { name: 'Release' })).toBe(null);
});

test('nothing is said to be clear before it is known what the user may see', async () => {
  openConsole(script, `/o/${ORG}`, {
    'GET /api/permissions/me': { status: 403, body: { detail: 'You were removed meanwhile' } },
  });
  const attention = within(await screen.findByRole('region', { name: 'Needs your attention' }));
  await attention.findByText('You were removed meanwhile');
  await screen.findByText('No chats yet');
  expect(attention.queryByText(/All clear/)).toBe(null);
});

test('all is clear once there is nothing to show', async () => {
  openConsole(script, `/o/${ORG}`);
  await screen.findByText(/All clear/);
});

test('providers that fail or are disabled need attention, for those who see them', async () => {
  const account = { id: 'a', name: 'OpenAI', status: 'active', last_failure: null, last_failed_at: null };
  const failing = { ...account, last_failure: 'It could not be reached', last_failed_at: new Date().toISOString() };
  const body = [
    account,
    failing,
    { ...account, id: 'b', status: 'disabled' },
    { ...account, id: 'c', status: 'disabled' },
  ];
  openConsole(script, `/o/${ORG}`, { ...may('providers.view'), 'GET /api/providers': { body } });
  const attention = within(await screen.findByRole('region', { name: 'Needs your attention' }));
  const one = await attention.findByRole('link', { name: '1 provider is failing' });
  expect(one.getAttribute('href')).toBe(`/o/${ORG}/providers/a`);
  const several = attention.getByRole('link', { name: '2 providers cannot be used' });
  expect(several.getAttribute('href')).toBe(`/o/${ORG}/providers`);
  expect(attention.queryByText(/All clear/)).toBe(null);
});

const RUN = {
  id: 'a-run',
  kind: 'schedule',
  workflow_id: null,
  name: 'Weekly report',
  status: 'failed',
  created_at: new Date().toISOString(),
  started_at: null,
  completed_at: null,
};
const AGENT = { id: 'an-agent', name: 'Analyst', description: 'Reads reports', is_active: true };

test('runs that have failed and chats that wait need attention; what runs stands by itself', async () => {
  const chat = { title: 'Import', updated_at: new Date().toISOString() };
  openConsole(script, `/o/${ORG}`, {
    ...may('schedules.view', 'ui.advanced_mode'),
    'GET /api/runs': (query) => ({ body: query.get('status') === 'failed' ? [RUN] : [] }),
    'GET /api/chats': {
      body: [
        { ...chat, id: 'waits', status: 'waiting' },
        { ...chat, id: 'works', title: 'Deploy', status: 'running' },
      ],
    },
  });
  const attention = within(await screen.findByRole('region', { name: 'Needs your attention' }));
  const run = await attention.findByRole('link', { name: 'Weekly report' });
  expect(run.getAttribute('href')).toBe(`/o/${ORG}/runs?id=a-run`);
  expect(attention.getByRole('link', { name: 'Import' }).getAttribute('href')).toBe(`/o/${ORG}/chats/waits`);
  const running = within(screen.getByRole('region', { name: 'Running now' }));
  expect(running.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['Deploy']);
});

test('agents that are active are what a chat starts with', async () => {
  openConsole(script, `/o/${ORG}`, {
    'GET /api/agents': { body: [AGENT, { ...AGENT, id: 'off', name: 'Retired', is_active: false }] },
  });
  const cards = within(await screen.findByRole('region', { name: 'Start a chat with' }));
  expect(cards.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    `/o/${ORG}/chats?agent=an-agent`,
  ]);
  expect((await screen.findByRole('link', { name: 'New chat' })).getAttribute('href')).toBe(`/o/${ORG}/chats`);
});

test('the first steps are for those who may add an agent', async () => {
  openConsole(script, `/o/${ORG}`, may('agents.view', 'agents.manage'));
  expect((await screen.findByRole('link', { name: 'Get started' })).getAttribute('href')).toBe('/welcome');
});

test('those who may add no agent begin with a chat', async () => {
  openConsole(script, `/o/${ORG}`, may('agents.view'));
  expect((await screen.findByRole('link', { name: 'New chat' })).getAttribute('href')).toBe(`/o/${ORG}/chats`);
  expect(screen.queryByText('Get started')).toBe(null);
});
