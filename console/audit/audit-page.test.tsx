import { expect, test } from '@jest/globals';
import { renderHook, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { OPERATOR_ID } from '../../domain/audit.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import type { AuditEntry } from './queries.ts';
import { actionOf, wordsOfAction } from './record-types.ts';
import { useAuditText } from './text.ts';

const script = serveScript();
const [ADA, AGENT, OTHER] = ['1', '2', '3'].map((end) => `019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d3${end}`) as [
  string,
  string,
  string,
];

const entryOf = (action: string, more: Partial<AuditEntry>): AuditEntry => ({
  id: action,
  created_at: '2026-01-01T00:00:00.000Z',
  actor_id: ADA,
  actor_email: 'ada@example.com',
  session_id: null,
  api_key_id: null,
  ip: '203.0.113.7',
  action,
  record_type: action.split('.')[0] ?? '',
  record_id: null,
  record_name: null,
  record_deleted: null,
  related_ids: [],
  fields: [],
  outcome: 'success',
  status: 200,
  attempts: 1,
  ...more,
});

const RIGHTS = {
  'GET /api/permissions/me': {
    body: { role: 'owner', permissions: ['audit.view', 'ui.advanced_mode'], usage: { budgets: [] } },
  },
};

test('an entry is a sentence that names who did what to which record, with links and without ids', async () => {
  const entries = [
    entryOf('agents.update', { record_id: AGENT, record_name: 'Researcher', record_deleted: false }),
    entryOf('agents.delete', { record_id: AGENT, record_name: 'Scribe', record_deleted: true }),
    entryOf('permission_groups.set_members', { record_id: OTHER, record_deleted: true }),
    entryOf('issue_comments.create', { record_id: OTHER, record_name: 'It is slow', record_deleted: false }),
    entryOf('agents.create', { actor_id: OTHER, actor_email: 'bob@example.com', outcome: 'denied' }),
    entryOf('api_keys.rotate', { record_id: AGENT, actor_id: OTHER, actor_email: null }),
    entryOf('auth.login', { record_id: ADA }),
    entryOf('users.update', { record_id: ADA }),
    entryOf('orgs.update', { record_id: ORG }),
    entryOf('sessions.end_others', { related_ids: [AGENT, OTHER] }),
    entryOf('providers.test', { related_ids: [AGENT, OTHER] }),
    entryOf('users.export', { actor_id: OPERATOR_ID, actor_email: null, record_id: ADA }),
    entryOf('files.download', { outcome: 'denied' }),
  ];
  openConsole(script, `/o/${ORG}/audit`, {
    ...RIGHTS,
    'GET /api/audit': { body: entries, headers: { 'x-total-count': String(entries.length) } },
    [`GET /api/orgs/${ORG}/members`]: {
      body: [{ user_id: ADA, email: 'ada@example.com', full_name: 'Ada Lovelace', role: 'owner' }],
      headers: { 'x-total-count': '1' },
    },
  });
  await screen.findAllByRole('link', { name: 'Ada Lovelace' });
  const rows = screen.getAllByRole('row').slice(1);
  const cellsOf = (row: HTMLElement) => within(row).getAllByRole('cell');
  expect(
    rows.map((row) =>
      cellsOf(row)
        .slice(0, 2)
        .map(({ textContent }) => textContent)
        .join(' '),
    ),
  ).toEqual([
    'Ada Lovelace changed the agent Researcher',
    'Ada Lovelace deleted the agent Scribe (deleted)',
    'Ada Lovelace set the members of a permission group (deleted)',
    'Ada Lovelace created the comment It is slow',
    'bob@example.com created an agent',
    'a deleted account rotated an API key',
    'Ada Lovelace signed in',
    'Ada Lovelace changed their own account',
    'Ada Lovelace changed this organization',
    'Ada Lovelace ended all other sessions',
    'Ada Lovelace tested 2 records',
    'the operator exported a user',
    'Ada Lovelace downloaded a file',
  ]);
  expect(screen.getByRole('link', { name: 'Researcher' }).getAttribute('href')).toBe(`/o/${ORG}/agents/${AGENT}`);
  expect(screen.queryByRole('link', { name: 'Scribe' })).toBe(null);
});

test.each([
  ['agents.update', 'agent: Changed', 'agents.create', 'Agent: created'],
  ['schedule_runs.trigger', 'Run (schedule runs): started', 'workflow_runs.trigger', 'Run (workflow runs): started'],
  ['files.scan', 'files.scan', 'files.scan', 'File: scan'],
])('the filter of actions takes %s in words', async (action, typed, other, words) => {
  const user = userEvent.setup();
  const { history } = openConsole(script, `/o/${ORG}/audit?action=${other}`, {
    ...RIGHTS,
    'GET /api/audit': { body: [entryOf(action, {})], headers: { 'x-total-count': '1' } },
  });
  await user.click(await screen.findByRole('button', { name: 'Add a filter' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Action' }));
  const field = await screen.findByRole('combobox', { name: 'Action' });
  expect(field).toHaveProperty('value', words);
  await user.clear(field);
  await user.type(field, `${typed}{Enter}`);
  expect(new URLSearchParams(history.location.search).get('action')).toBe(action);
});

test('each action is found again by its words', () => {
  const text = renderHook(() => useAuditText()).result.current;
  for (const verb of Object.keys(text.verbs)) {
    const words = wordsOfAction(`chats.${verb}`, text);
    expect(actionOf(words, text)).toBe(`chats.${verb}`);
  }
});
