import { expect, test } from '@jest/globals';
import { renderHook, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
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
  related_ids: [],
  fields: [],
  outcome: 'success',
  status: 200,
  attempts: 1,
  ...more,
});

test('an entry says which record it is about, in words where its id says less', async () => {
  const entries = [
    entryOf('agents.update', { record_id: AGENT }),
    entryOf('agents.create', { record_id: OTHER, record_name: 'Researcher' }),
    entryOf('auth.login', { record_id: ADA }),
    entryOf('orgs.update', { record_id: ORG }),
    entryOf('sessions.end_others', { related_ids: [AGENT, OTHER] }),
    entryOf('providers.test', { related_ids: [OTHER] }),
    entryOf('marketplace.refresh', {}),
  ];
  openConsole(script, `/o/${ORG}/audit`, {
    'GET /api/permissions/me': {
      body: { role: 'owner', permissions: ['audit.view', 'ui.advanced_mode'], usage: { budgets: [] } },
    },
    'GET /api/audit': { body: entries, headers: { 'x-total-count': String(entries.length) } },
  });
  await screen.findByText('Agent: changed');
  const shown = screen
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .slice(1, 3)
        .map(({ textContent }) => textContent),
    );
  expect(shown).toEqual([
    ['Agent: changed', AGENT],
    ['Agent: created', 'Researcher'],
    ['Sign-in: signed in', 'their own account'],
    ['Organization: changed', 'this organization'],
    ['Session: all others ended', '2 records'],
    ['Provider: tested', OTHER],
    ['Marketplace item: refresh', ''],
  ]);
});

test.each([
  ['agents.update', 'agent: Changed', 'agents.create', 'Agent: created'],
  ['schedule_runs.trigger', 'Run (schedule runs): started', 'workflow_runs.trigger', 'Run (workflow runs): started'],
  ['marketplace.refresh', 'marketplace.refresh', 'marketplace.refresh', 'Marketplace item: refresh'],
])('the filter of actions takes %s in words', async (action, typed, other, words) => {
  const user = userEvent.setup();
  const { history } = openConsole(script, `/o/${ORG}/audit?action=${other}`, {
    'GET /api/permissions/me': {
      body: { role: 'owner', permissions: ['audit.view', 'ui.advanced_mode'], usage: { budgets: [] } },
    },
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
