import { expect, test } from '@jest/globals';
import { createSetupToken } from '../../api/auth/register.ts';
import { brokenRules, describeConsole, takeShot } from '../support/console/browsed-console.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';

describeConsole(
  'an empty server that invites people, in a browser',
  (served) => {
    test('is entered by the link with its setup token, without a name, and by nobody after that', async () => {
      const token = await createSetupToken(served.api.database, [TEST_SECRET_KEY])();
      const page = await served.open();
      const heading = (name: string) => page.getByRole('heading', { level: 1, name });
      await page.goto(served.url);
      await heading('Set up Everturn').waitFor();
      expect(await page.getByLabel('Setup token').inputValue()).toBe('');
      expect(await brokenRules(page)).toEqual([]);
      await takeShot(page, 'set-up');

      const leaks: string[] = [];
      page.on('request', (request) => {
        if (Object.values(request.headers()).some((value) => value.includes('et_setup_'))) leaks.push(request.url());
      });
      await page.goto(`${served.url}/register?setup_token=${token}`);
      await page.getByLabel('E-mail address').fill('first@example.com');
      await page.getByLabel('Password').fill('correct horse battery');
      expect([await page.getByLabel('Setup token').inputValue(), page.url()]).toEqual([
        token,
        `${served.url}/register`,
      ]);
      await page.getByRole('button', { name: 'Create an account' }).click();
      await heading('Choose a model').waitFor();
      expect(leaks).toEqual([]);

      const later = await served.open();
      await later.goto(`${served.url}/register?setup_token=${token}`);
      await later.getByText('An account needs an invite on this server.').waitFor();
      await Promise.all([page.context().close(), later.context().close()]);
    });
  },
  { registration: 'invite' },
);
