import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { openConsole, USER } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
afterEach(() => history.replaceState(null, '', '/'));

test.each([
  ['the new password', '/set-password?token=et_pw_x', 'New password', {}],
  [
    'the name of an organization',
    '/',
    'Name of the organization',
    { 'GET /api/users/me': { body: { ...USER, orgs: [] } } },
  ],
])('a page that asks for %s alone begins in its field', async (_what, address, label, answers) => {
  history.replaceState(null, '', address);
  openConsole(script, address, answers);
  const field = await screen.findByLabelText(label);
  await waitFor(() => expect(document.activeElement).toBe(field));
});
