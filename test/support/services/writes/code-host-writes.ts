import { type KnownWrites, TOKEN } from './known-write.ts';

const SHA = 'a'.repeat(40);
const repo = 'acme/web';
const project = 'acme/web';
const ISSUE = { number: 7, title: 'It breaks' };

/** Writes at GitHub and GitLab. */
export const CODE_HOST_WRITES: readonly KnownWrites[] = [
  {
    kind: 'github',
    credentials: { token: TOKEN },
    reads: { 'GET /repos/acme/web/actions/runs/9': { id: 9, status: 'completed', conclusion: 'cancelled' } },
    writes: [
      {
        tool: 'github_issue',
        arguments: { action: 'create', repo, title: 'It breaks' },
        effect: 'once',
        method: 'POST',
        path: '/repos/acme/web/issues',
        answer: ISSUE,
      },
      {
        tool: 'github_issue',
        arguments: { action: 'close', repo, number: 7 },
        effect: 'keyed',
        method: 'PATCH',
        path: '/repos/acme/web/issues/7',
        answer: ISSUE,
      },
      {
        tool: 'github_pull_request',
        arguments: { action: 'review', repo, number: 8, event: 'APPROVE' },
        effect: 'once',
        method: 'POST',
        path: '/repos/acme/web/pulls/8/reviews',
        answer: { id: 1, state: 'APPROVED' },
      },
      {
        tool: 'github_pull_request',
        arguments: { action: 'merge', repo, number: 8, sha: SHA },
        effect: 'keyed',
        method: 'PUT',
        path: '/repos/acme/web/pulls/8/merge',
        answer: { merged: true, sha: SHA, message: 'Merged' },
        again: { status: 405, answer: { message: 'Pull Request is not mergeable' } },
        readsAfter: () => ({
          'GET /repos/acme/web/pulls/8': { merged: true, merge_commit_sha: SHA, head: { sha: SHA } },
        }),
      },
      {
        tool: 'github_actions',
        arguments: { action: 'dispatch', repo, workflow: 'ci.yml', ref: 'main' },
        effect: 'once',
        method: 'POST',
        path: '/repos/acme/web/actions/workflows/ci.yml/dispatches',
      },
      {
        tool: 'github_actions',
        arguments: { action: 'cancel', repo, run_id: 9 },
        effect: 'keyed',
        method: 'POST',
        path: '/repos/acme/web/actions/runs/9/cancel',
        answer: {},
        again: { status: 409, answer: { message: 'Cannot cancel a workflow run that is completed.' } },
      },
      {
        tool: 'github_api',
        arguments: { method: 'POST', path: '/repos/acme/web/labels', body: { name: 'bug' } },
        effect: 'once',
        method: 'POST',
        path: '/repos/acme/web/labels',
        answer: { name: 'bug' },
      },
    ],
  },
  {
    kind: 'gitlab',
    credentials: { token: TOKEN },
    writes: [
      {
        tool: 'gitlab_issue',
        arguments: { action: 'create', project, title: 'It breaks' },
        effect: 'once',
        method: 'POST',
        path: '/projects/acme%2Fweb/issues',
        answer: { iid: 7 },
      },
      {
        tool: 'gitlab_issue',
        arguments: { action: 'close', project, iid: 7 },
        effect: 'keyed',
        method: 'PUT',
        path: '/projects/acme%2Fweb/issues/7',
        answer: { iid: 7 },
      },
      {
        tool: 'gitlab_merge_request',
        arguments: { action: 'comment', project, iid: 8, body: 'Seen' },
        effect: 'once',
        method: 'POST',
        path: '/projects/acme%2Fweb/merge_requests/8/notes',
        answer: { id: 1 },
      },
      {
        tool: 'gitlab_pipeline',
        arguments: { action: 'create', project, ref: 'main' },
        effect: 'once',
        method: 'POST',
        path: '/projects/acme%2Fweb/pipeline',
        answer: { id: 1 },
      },
      {
        tool: 'gitlab_api',
        arguments: { method: 'DELETE', path: '/projects/1/labels/bug' },
        effect: 'once',
        method: 'DELETE',
        path: '/projects/1/labels/bug',
      },
    ],
  },
];
