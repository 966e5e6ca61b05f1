import { expect, test } from '@jest/globals';
import type { ProjectContext } from '../project-context/describe-projects.ts';
import { EMPTY_ALLOWLISTS, policyOf } from './policy.ts';
import { restrictProjects } from './restrict.ts';

const task = { title: 'x', status: 'pending', isOwn: false, ownerId: 'other', isShared: true } as const;
const tasks = [task, { ...task, ownerId: 'other', isShared: false }, { ...task, ownerId: 'me', isShared: false }];
const issues = [{ number: 1, title: 'x', status: 'todo', priority: 'low', isOwn: false, isForeign: false }] as const;
const project: ProjectContext = {
  id: 'p',
  name: 'App',
  description: '',
  repository: null,
  issues,
  hasMoreIssues: true,
  tasks,
};

function policyWith(...permissions: string[]) {
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  return policyOf('member', [{ id: 'g', permissions, limits, allowlists: EMPTY_ALLOWLISTS, defaultChainId: null }]);
}

const seen = (...permissions: string[]) => restrictProjects(policyWith(...permissions), 'me', [project]);

test('an agent sees nothing of projects when its user may not see them, or is no member', () => {
  expect(seen('issues.view', 'tasks.view', 'chats.view_shared')).toEqual([]);
  expect(restrictProjects(null, 'me', [project])).toEqual([]);
});

test('an agent sees issues and tasks only with the keys of theirs', () => {
  expect(seen('projects.view')).toEqual([{ ...project, issues: [], hasMoreIssues: false, tasks: [] }]);
  expect(seen('projects.view', 'issues.view')).toEqual([{ ...project, tasks: [] }]);
});

test('an agent sees tasks of other members only where its user sees shared chats', () => {
  expect(seen('projects.view', 'tasks.view')[0]?.tasks).toEqual([tasks[2]]);
  expect(seen('projects.view', 'tasks.view', 'chats.view_shared')[0]?.tasks).toEqual([tasks[0], tasks[2]]);
  expect(restrictProjects(policyOf('owner', []), 'me', [project])[0]?.tasks).toEqual([tasks[0], tasks[2]]);
});
