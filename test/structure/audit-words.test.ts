import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { routes } from '../../api/routes.ts';
import { actionOf, APPROVAL_ACTIONS, OPERATOR_ACTIONS } from '../../domain/audit.ts';

/** What is recorded without a route of that name: denials over sockets. */
const OF_SOCKETS = ['chats.view', 'chats.stream', 'chats.interrupt', 'orgs.view_events'];

test('the console has words for every action of the audit log', () => {
  const source = readFileSync('console/audit/text.ts', 'utf8');
  const verbs = source.slice(source.indexOf('verbs: {'), source.indexOf('outcome:'));
  const said = new Set(Array.from(verbs.matchAll(/^ {6}(\w+): '/gm), ([, verb]) => verb));
  const ofRoutes = routes.filter(({ audit }) => audit !== false).map((route) => actionOf(route));
  const actions = [...ofRoutes, ...OF_SOCKETS, ...OPERATOR_ACTIONS, ...Object.values(APPROVAL_ACTIONS)];
  expect(actions.filter((action) => !said.has(action.split('.')[1]))).toEqual([]);
});
