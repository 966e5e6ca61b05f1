import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const may = (...permissions: string[]) => ({ 'GET /api/permissions/me': { body: { permissions } } });

test('a decision that waits leads to where it is made, and its names show what cannot be seen', async () => {
  const approval = {
    id: 'an-approval',
    chat_id: 'a-chat',
    agent_name: 'Ana\u200Blyst',
    tool: 'email_send',
    label: 'Send',
    requested_at: new Date().toISOString(),
  };
  openConsole(script, `/o/${ORG}`, { ...may('approvals.view'), 'GET /api/approvals': { body: [approval] } });
  const link = await screen.findByRole('link', { name: 'Ana⟨U+200B⟩lyst asks to run email_send' });
  expect(link.getAttribute('href')).toBe(`/o/${ORG}/inbox?id=an-approval`);
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

test('what is at work stands apart from what was left, and what has failed says why', async () => {
  const chat = { title: 'Weekly report', status: 'idle', waiting_until: null, updated_at: '2026-11-20T10:00:00Z' };
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const run = { id: 'a-run', name: 'Nightly import', error: 'no account', created_at: '2026-11-20T10:00:00Z' };
  openConsole(script, `/o/${ORG}`, {
    ...may('schedules.view'),
    'GET /api/chats': {
      body: [
        { ...chat, id: 'left' },
        { ...chat, id: 'waits', title: 'Import', status: 'waiting', waiting_until: until },
      ],
    },
    'GET /api/runs': { body: [run] },
  });
  const atWork = await screen.findByRole('region', { name: 'At work now' });
  expect(within(atWork).getByRole('link').textContent).toBe('Import');
  expect(within(atWork).getByText(/^waits until \d\d:\d\d$/)).toBeTruthy();
  const left = within(screen.getByRole('region', { name: 'Recent chats' }));
  expect(left.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['Weekly report']);
  const failed = await screen.findByRole('link', { name: /Nightly import\s*no account/ });
  expect(failed.getAttribute('href')).toBe(`/o/${ORG}/inbox?view=failed&id=a-run`);
});
