import { createMemoryHistory } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { Answers, ScriptedApi } from './scripted-api.ts';
import { App } from '../../../console/app.tsx';
import { createQueryClient } from '../../../console/core/http/query-client.ts';
import { openSession } from './opened-sessions.tsx';

/** The organization that the pages of tests are about. */
export const ORG = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21';
/** The user of tests, as the server describes them. */
export const USER = {
  id: 'ada',
  email: 'ada@example.com',
  full_name: 'Ada Lovelace',
  active_org_id: ORG,
  mail_notifications: false,
  mail_notifications_problem: null,
  slack_notifications: false,
  orgs: [{ id: ORG, name: 'Analytical' }],
};
/** What a refresh answers for that user. */
export const SIGNED_IN = { access_token: 'a-token', token_type: 'bearer', expires_in: 3600, user_id: 'ada' };
export const REFRESH = 'POST /api/auth/browser-session/refresh';
const NO_USE = { budgets: [], is_blocked: false, available_at: null, running_agents: 0, provider_accounts: 0 };
const RIGHTS = 'GET /api/permissions/me';

/** What the pages of somebody who is signed in ask for, with the fewest rights. */
export const HOME: Answers = {
  [REFRESH]: { body: SIGNED_IN },
  'GET /api/users/me': { body: USER },
  [RIGHTS]: { body: { permissions: ['agents.view', 'ui.advanced_mode'], usage: NO_USE } },
  'GET /api/chats': { body: [] },
  'GET /api/server': { body: { version: '1.0.0', registration: 'open', has_accounts: true, needs_setup_token: false } },
};

/** Opens the console of a test at an address, before a server that gives these answers beside those of `HOME`. */
export function openConsole(script: ScriptedApi, address: string, answers: Answers = {}) {
  script.answer({ ...HOME, ...answers, ...rightsIn(answers) });
  const history = createMemoryHistory({ initialEntries: [address] });
  const [session, cache] = [openSession(), createQueryClient()];
  render(<App session={session} cache={cache} history={history} />);
  return { history, session, cache };
}

// A test names the rights that it is about; what else the server tells with them is of somebody without budgets.
function rightsIn({ [RIGHTS]: rights }: Answers): Answers {
  if (rights === undefined || typeof rights === 'function' || typeof rights.body !== 'object') return {};
  return { [RIGHTS]: { ...rights, body: { usage: NO_USE, ...rights.body } } };
}
