import { beforeEach, expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
beforeEach(() => sessionStorage.setItem('everturn.invite', 'et_inv_held'));

test('an invite that is gone is not held any longer', async () => {
  openConsole(script, '/join', { 'GET /api/orgs/invite/et_inv_held': { status: 404, body: { detail: 'gone' } } });
  await screen.findByText(/^This invite is not valid/);
  expect(sessionStorage.getItem('everturn.invite')).toBe(null);
});

test('an invite is held until it is used, and names its organization with what cannot be seen', async () => {
  openConsole(script, '/join', {
    'GET /api/orgs/invite/et_inv_held': { body: { org_name: 'Ana\u202Elytical', role: 'member' } },
  });
  await screen.findByText('You are invited to Ana⟨U+202E⟩lytical as a member.');
  expect(sessionStorage.getItem('everturn.invite')).toBe('et_inv_held');
});
