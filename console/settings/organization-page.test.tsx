import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();

test('an admin has another person approve what agents do in the name of somebody', async () => {
  const org = { id: ORG, name: 'Analytical', icon: '', color: '', role: 'admin', approvals_other_person: false };
  openConsole(script, `/o/${ORG}/settings/organization`, {
    [`GET /api/orgs/${ORG}`]: { body: org },
    [`PATCH /api/orgs/${ORG}`]: { body: { ...org, approvals_other_person: true } },
  });
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Another person must approve' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const changed = () => script.requests.find(({ method }) => method === 'PATCH')?.body;
  await waitFor(() => expect(changed()).toBe('{"approvals_other_person":true}'));
});
