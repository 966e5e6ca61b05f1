import { afterEach, expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();

afterEach(() => localStorage.clear());

const tool = (more: Readonly<Record<string, unknown>>) => ({
  id: 't1',
  key: 'math_evaluate',
  name: 'Calculator',
  description: 'Calculates.',
  category: 'utility',
  version: '1.0.0',
  origin: 'builtin',
  slug: null,
  overrides: false,
  overridden_by: null,
  usable: true,
  problem: null,
  available: true,
  reason: null,
  only_in_chats: false,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  ...more,
});
const FILE = {
  path: 'tool.json',
  bytes: 5,
  content: JSON.stringify({
    parameters: { type: 'object', properties: { expression: { type: 'string', title: 'Expression' } } },
  }),
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};

function openTestRun(more: Readonly<Record<string, unknown>> = {}): void {
  openConsole(script, `/o/${ORG}/tools/t1?tab=try`, {
    'GET /api/permissions/me': { body: { permissions: ['tools.view', 'tools.manage'] } },
    'GET /api/tools': { body: [] },
    'GET /api/tools/t1': { body: tool(more) },
    'GET /api/tools/t1/files': { body: [FILE] },
    'GET /api/tools/t1/files/tool.json': { body: FILE },
    'POST /api/tools/t1/test': { body: { status: 'success', result: { value: 42 }, logs: [], duration_ms: 12 } },
  });
}

const calls = () => script.requests.filter(({ path }) => path === '/api/tools/t1/test');

test('a builtin tool is called with what is entered, and what came of it is shown', async () => {
  openTestRun();
  fireEvent.change(await screen.findByLabelText(/expression/i), { target: { value: '6*7' } });
  expect(screen.queryByText(/empty workspace, which is removed afterwards/)).not.toBe(null);
  await userEvent.click(screen.getByRole('button', { name: 'Call the tool' }));
  await screen.findByText('worked');
  expect(calls().map(({ body }) => JSON.parse(body))).toEqual([{ arguments: { expression: '6*7' } }]);
  await waitFor(() => expect(screen.getByRole('region', { name: 'Result' }).textContent).toContain('42'));
});

test('a tool that makes sense in a chat only cannot be called, and says why', async () => {
  openTestRun({ only_in_chats: true });
  await screen.findByText(/Ask an agent that has it/);
  expect(screen.queryByRole('button', { name: /Call the tool/ })).toBe(null);
});
