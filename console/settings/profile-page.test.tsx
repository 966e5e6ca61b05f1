import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { openConsole, ORG, USER } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();

test('who wants e-mails reads why none are sent', async () => {
  const problem = 'Analytical cannot e-mail you: none of its administrators has added an SMTP integration.';
  const user = { ...USER, mail_notifications: true, mail_notifications_problem: problem };
  openConsole(script, `/o/${ORG}/settings/profile`, { 'GET /api/users/me': { body: user } });
  expect(await screen.findByText(new RegExp(`that you sign in with\\. ${problem}$`))).toBeDefined();
});
