import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const TIME = '2026-11-22T09:30:00.000Z';
const PROJECT = {
  id: 'a-project',
  owner_id: 'ada',
  name: 'Website',
  description: '',
  repo_url: 'https://github.com/example/website',
  repo_type: 'github',
  integration_id: 'an-integration',
  integration_error: 'The token was rejected',
  sync_direction: 'pull',
  repo_status: 'failed',
  repo_error: 'The host does not show it',
  repo_fetched_at: null,
  repo_branch: null,
  repo_commit: null,
  provider_chain_id: null,
  agent_ids: [],
  webhook_url: 'https://everturn.example.com/api/integrations/github/webhook/a-project',
  has_webhook_secret: false,
  created_at: TIME,
  updated_at: TIME,
  deleted_at: null,
};
const SYNC = {
  id: 'a-sync',
  project_id: 'a-project',
  user_id: 'ada',
  status: 'failed',
  created: 1,
  updated: 0,
  total: 1,
  comments: 0,
  skipped: 2,
  error: 'The host was away for too long',
  waiting_until: null,
  started_at: TIME,
  completed_at: TIME,
  created_at: TIME,
};

function openProject(permissions: readonly string[]) {
  openConsole(script, `/o/${ORG}/projects/a-project?tab=repository`, {
    'GET /api/permissions/me': { body: { permissions: ['projects.view', 'ui.advanced_mode', ...permissions] } },
    'GET /api/projects/a-project': { body: PROJECT },
    'GET /api/projects/a-project/syncs': { body: [SYNC] },
    'POST /api/projects/a-project/sync-issues': { status: 409, body: { detail: 'Too many syncs are at work' } },
    'PATCH /api/projects/a-project': {
      status: 422,
      body: { detail: [{ type: 'custom', loc: ['body', 'repo_url'], msg: 'must name a repository' }] },
    },
  });
}

test('a project says why its repository, its credentials and a sync failed, and what stands against another one', async () => {
  openProject(['projects.manage']);
  await screen.findByText(/The host does not show it/);
  screen.getByText(/The token was rejected/);
  await screen.findByText(/The host was away for too long/);
  screen.getByText(/1 added, 0 changed, 1 known, 2 left out, too large/);
  screen.getByText('Without a secret, events of the host are rejected.');
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Try again' }));
  expect((await screen.findAllByText('Too many syncs are at work')).length).toBeGreaterThan(0);
});

test('what the server says about a field is said there, and what was typed stays', async () => {
  openProject(['projects.manage']);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Edit' }));
  const dialog = within(await screen.findByRole('dialog'));
  const url = dialog.getByLabelText<HTMLInputElement>('Address of the repository');
  await user.type(url, '/more');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await dialog.findByText('must name a repository');
  expect(url.value).toBe('https://github.com/example/website/more');
  const sent = script.requests.find(({ method }) => method === 'PATCH')?.body ?? '';
  expect(JSON.parse(sent)).toEqual({ repo_url: 'https://github.com/example/website/more' });
});

test('who may not change projects is told so at each button', async () => {
  openProject([]);
  const buttons = await Promise.all(['Edit', 'Try again'].map(async (name) => screen.findByRole('button', { name })));
  const words = 'Your role does not include the permission “Projects: view and change”.';
  expect(buttons.map(({ title }) => title)).toEqual([words, words]);
  await userEvent.setup().click(screen.getByRole('button', { name: 'More actions' }));
  const inMenu = await screen.findByRole('menuitem', { name: /^Delete/ });
  expect([inMenu.getAttribute('aria-disabled'), inMenu.textContent]).toEqual(['true', expect.stringContaining(words)]);
});
