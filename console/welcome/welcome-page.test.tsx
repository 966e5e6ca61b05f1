import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const TEMPLATES = {
  'GET /api/agents/templates': { body: [{ slug: 'helper', name: 'Helper', description: '', tools: [] }] },
};

async function openAgentStep(...permissions: string[]) {
  openConsole(script, '/welcome', { ...TEMPLATES, 'GET /api/permissions/me': { body: { permissions } } });
  await userEvent.click(await screen.findByRole('button', { name: /^Demo model/ }));
  await screen.findByRole('heading', { name: 'Choose an agent' });
}

test('those who may add an agent choose a template', async () => {
  await openAgentStep('agents.manage');
  await screen.findByRole('button', { name: /^Helper/ });
});

test('those who may not are told so, and can go on', async () => {
  await openAgentStep('agents.view');
  await screen.findByText('Your role does not include the permission agents.manage.');
  expect(screen.queryByRole('button', { name: /^Helper/ })).toBe(null);
  expect(screen.getByRole('button', { name: 'Skip' })).toBeTruthy();
});
