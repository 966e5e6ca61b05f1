import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { type Answers, serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
afterEach(() => localStorage.clear());

const INTEGRATION = {
  id: 'a',
  kind: 'http',
  name: 'Ours',
  status: 'unchecked',
  account: null,
  error: null,
  checked_at: null,
  signed_in_at: null,
  base_url: null,
  credential_fields: [],
  settings: {},
};
const SERVER = {
  id: 'a',
  name: 'Ours',
  description: '',
  url: 'https://mcp.example.com',
  config: {},
  auth_type: 'none',
  tool_count: 0,
  left_out: [],
  changed_tools: [],
  fetch_changes: null,
  fetch_error: null,
  tools_fetched_at: null,
};
const TOOL = { id: 'a', key: 'ours', name: 'Ours', description: '', origin: 'own', overrides: null, problem: null };

const PAGES: readonly (readonly [string, Answers, (ownerId: string) => Answers])[] = [
  [
    'integrations',
    { 'GET /api/integrations/kinds': { body: [] } },
    (owner_id) => ({ 'GET /api/integrations/a': { body: { ...INTEGRATION, owner_id } } }),
  ],
  [
    'mcp-servers',
    { 'GET /api/mcp-servers/a/tools': { body: [] } },
    (owner_id) => ({ 'GET /api/mcp-servers/a': { body: { ...SERVER, owner_id } } }),
  ],
  [
    'tools',
    { 'GET /api/tools/a/files': { body: [] } },
    (owner_id) => ({ 'GET /api/tools/a': { body: { ...TOOL, owner_id } } }),
  ],
];
const KEYS = ['integrations', 'mcp_servers', 'tools'].flatMap((area) => [`${area}.view`, `${area}.manage`]);

test.each(
  PAGES.flatMap(([page, answers, record]) => [
    { page, owner: 'ada', isRestricted: false, isOff: false, answers, record },
    { page, owner: 'grace', isRestricted: false, isOff: true, answers, record },
    { page, owner: 'grace', isRestricted: true, isOff: false, answers, record },
  ]),
)(
  'one of $page that $owner has added is deleted by Ada; granted by a group: $isRestricted; off, with the reason: $isOff',
  async ({ page, owner, isRestricted, isOff, answers, record }) => {
    const rights = { permissions: [...KEYS, 'ui.advanced_mode'], is_restricted: isRestricted };
    openConsole(script, `/o/${ORG}/${page}/a`, {
      ...answers,
      ...record(owner),
      'GET /api/permissions/me': { body: rights },
    });
    if (page !== 'tools') await userEvent.click(await screen.findByRole('button', { name: 'More actions' }));
    const remove = await screen.findByRole(page === 'tools' ? 'button' : 'menuitem', { name: /^Delete/ });
    const why = () => `${remove.title} ${remove.textContent}`;
    await waitFor(() => expect(why().includes('Somebody else added this')).toBe(isOff));
  },
);
