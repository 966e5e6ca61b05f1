import { expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const ITEM = {
  slug: 'reviewer',
  name: 'Reviewer',
  kind: 'bundle',
  version: '1.1.0',
  summary: 'Reviews changes.',
  tags: ['review'],
  source: 'builtin',
  installed: null,
  readme: '# Reviewer',
  contains: [],
  files: [],
  needs: {
    tools: [{ key: 'file_read', is_available: false }],
    skills: [],
    credentials: [],
    providers: [],
    destinations: [{ kind: 'slack', is_available: false }],
  },
};
const INDEX = {
  source: 'https://items.example.com/index.json',
  item_count: 3,
  fetched_at: '2026-11-25T10:00:00Z',
  checked_at: '2026-11-25T10:00:00Z',
  next_check_at: null,
  error: null,
  refused: [{ item: 'broken', reason: 'its archive has another SHA-256' }],
  hidden: [{ slug: 'code-reviewer', by: 'builtin' }],
};
const file = (more: object) => ({
  kind: 'skill',
  key: 'review',
  path: 'SKILL.md',
  difference: '-a\n+b',
  note: null,
  ...more,
});
const answersWith = (more: object) => ({
  'GET /api/permissions/me': { body: { permissions: ['marketplace.view', 'marketplace.manage'] } },
  'GET /api/marketplace': { body: [ITEM] },
  'GET /api/marketplace-indexes': { body: [INDEX] },
  'GET /api/marketplace/reviewer': { body: ITEM },
  'GET /api/marketplace/reviewer/differences': {
    body: { slug: 'reviewer', version: '1.1.0', files: [], uncompared: [] },
  },
  ...more,
});

test('indexes are fetched when somebody asks, and say what they do not offer', async () => {
  const user = userEvent.setup();
  const answers = answersWith({ 'POST /api/marketplace-indexes/refresh': { body: [INDEX] } });
  openConsole(script, `/o/${ORG}/marketplace`, answers);
  await screen.findByText('Not offered: broken, its archive has another SHA-256');
  screen.getByText('Hidden by items of the same name: code-reviewer');
  await user.click(screen.getByRole('button', { name: 'Fetch now' }));
  await screen.findByRole('button', { name: 'Fetching within a minute' });
  const later = { ...INDEX, checked_at: '2026-11-25T10:01:00Z', error: 'it answered 500' };
  script.answer({ ...answers, 'GET /api/marketplace-indexes': { body: [later] } });
  await screen.findByText('it answered 500');
  await screen.findByRole('button', { name: 'Fetch now' });
});

test('records of the organization whose names an item has are kept, and that is said before', async () => {
  const user = userEvent.setup();
  const record = { kind: 'skill', id: 'a-skill', key: 'review', name: 'Review', outcome: 'kept' };
  openConsole(
    script,
    `/o/${ORG}/marketplace/reviewer`,
    answersWith({
      'GET /api/marketplace/reviewer/differences': {
        body: { slug: 'reviewer', version: '1.1.0', files: [file({ is_foreign: true })], uncompared: [] },
      },
      'POST /api/marketplace/reviewer/install': { body: { slug: 'reviewer', version: '1.1.0', records: [record] } },
    }),
  );
  expect(await screen.findAllByText('not available here')).toHaveLength(2);
  await user.click(screen.getByRole('button', { name: 'Install' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText(/^These names are already used by records of yours: Skill review/);
  expect(dialog.queryByRole('combobox')).toBeNull();
  await user.click(dialog.getByRole('button', { name: 'Install' }));
  await dialog.findByText('Reviewer was installed');
  dialog.getByText('yours, as it was');
  expect(dialog.getByRole('link', { name: 'Review' }).getAttribute('href')).toBe(`/o/${ORG}/skills/a-skill`);
  expect(script.requests.some(({ method, path }) => method === 'POST' && path.endsWith('/install'))).toBe(true);
});

test('nothing is installed over what was edited meanwhile, and why is said in a line', async () => {
  const user = userEvent.setup();
  const detail = 'Nothing was installed. Edited since they were installed: skill "review".\n\n--- a\n+++ b';
  openConsole(
    script,
    `/o/${ORG}/marketplace/reviewer`,
    answersWith({ 'POST /api/marketplace/reviewer/install': { status: 409, body: { detail } } }),
  );
  await user.click(await screen.findByRole('button', { name: 'Install' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText('No conflicts.');
  await user.click(dialog.getByRole('button', { name: 'Install' }));
  await waitFor(() =>
    expect(dialog.getByRole('alert').textContent).toBe(
      'Nothing was installed. Edited since they were installed: skill "review".',
    ),
  );
});
