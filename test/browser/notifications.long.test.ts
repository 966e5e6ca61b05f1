import { expect, test } from '@jest/globals';
import { brokenRules, describeConsole, takeShot } from '../support/console/browsed-console.ts';
import { registerUser } from '../support/factories.ts';
import { SubscribedBrowser } from '../support/push-service.ts';
import { waitUntil } from '../support/wait-until.ts';

describeConsole('notifications of a browser', (served) => {
  test('are turned on in the profile, shown by the worker under the policy of the page, and end with the sign-in', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 1440, height: 900 });
    await page.context().grantPermissions(['notifications'], { origin: served.url });
    const { p256dh, auth } = await SubscribedBrowser.open();
    // The service of the maker of the browser cannot be reached by a test.
    const subscription = JSON.stringify({ endpoint: 'https://push.example.com/a', keys: { p256dh, auth } });
    await page.addInitScript(`PushManager.prototype.subscribe = async () => ({ toJSON: () => (${subscription}) })`);
    await page.goto(`${served.url}/o/${user.orgId}/settings/profile`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('You are notified in no browser.').waitFor();
    const client = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
        if (first !== undefined) resolve(first.registrationId);
      });
    });
    await client.send('ServiceWorker.enable');
    await page.getByRole('button', { name: 'Notify me in this browser' }).click();
    await page.getByText('this one').waitFor();
    await takeShot(page, 'notifications-of-browsers');
    expect(await brokenRules(page)).toEqual([]);

    const data = JSON.stringify({
      title: 'Lead asks',
      body: 'Writing a.txt',
      tag: 'a',
      path: `/o/${user.orgId}/inbox`,
    });
    await client.send('ServiceWorker.deliverPushMessage', {
      origin: served.url,
      registrationId: await registered,
      data,
    });
    const shown = `navigator.serviceWorker.ready.then((registration) => registration.getNotifications())
      .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`;
    await waitUntil('the notification', async () =>
      (await page.evaluate<object[]>(shown)).length > 0 ? true : undefined,
    );
    expect(await page.evaluate(shown)).toEqual([{ title: 'Lead asks', body: 'Writing a.txt', tag: 'a' }]);

    const subscriptions = async () => (await user.client.get<object[]>('/api/users/me/push-subscriptions')).json;
    expect(await subscriptions()).toHaveLength(1);
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('You are notified in no browser.').waitFor();
    expect(await subscriptions()).toEqual([]);
    await page.getByRole('button', { name: 'Notify me in this browser' }).click();
    await page.getByText('this one').waitFor();
    await page.goto(`${served.url}/o/${user.orgId}/chats`);
    await page.getByRole('button', { name: 'Account' }).first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await subscriptions()).toEqual([]);
  });
});
