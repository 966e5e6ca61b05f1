import { expect, test } from '@jest/globals';
import { type IssueEvidence, issueVerdicts } from '../../chaos/audit/issues.ts';
import { withMarker } from '../../domain/issue-sync/remote-records.ts';

const COMMENT_ID = '01990000-0000-7000-8000-000000000001';

/** A run in which everything is as it should be. */
function soundRun() {
  const comment = { kind: 'comment' as const, text: 'here 2', issueId: 'i1' };
  return {
    facts: {
      issues: [{ id: 'i1', externalId: '1001' as string | null, title: 'here 0', status: 'todo', labels: ['bug'] }],
      comments: [{ id: COMMENT_ID, externalId: '2001' as string | null, content: 'here 2' }],
      deliveryIds: ['delivery-1'],
      syncs: [{ id: 's1', status: 'completed', error: null as string | null }],
      pushes: [] as { id: string; error: string | null }[],
    },
    host: {
      issues: [{ id: 1001, number: 1, title: 'here 0', isOpen: true, labels: ['bug'] }],
      comments: [{ id: 2001, issueNumber: 1, body: withMarker('here 2', COMMENT_ID) }],
      writes: [
        { path: '/issues/1', body: { title: 'here 0' } as Record<string, unknown> },
        { path: '/issues/1/comments', body: { body: withMarker('here 2', COMMENT_ID) } },
      ],
      deliveries: [{ id: 'delivery-1', answers: ['500', 'accepted', 'repeated'] }],
    },
    work: { deeds: [comment], syncIds: new Set(['s1']), isSettled: true },
  };
}

type Run = ReturnType<typeof soundRun>;

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

const breached = (run: IssueEvidence) =>
  issueVerdicts(run).flatMap(({ promise, breaches }) => (breaches?.length === 0 ? [] : [promise]));

test('a run in which everything is in step breaks no promise', () => {
  expect(breached(soundRun())).toEqual([]);
});

test('nothing is said of a run without issues', () => {
  expect(issueVerdicts(undefined).map(({ breaches }) => breaches)).toEqual(Array.from({ length: 5 }, () => undefined));
});

test.each<[string, string[], (run: Run) => unknown]>([
  ['an issue is lost', ['S1'], ({ facts }) => facts.issues.pop()],
  ['an issue is doubled', ['S1'], ({ facts }) => facts.issues.push({ ...at(facts.issues, 0), id: 'i2' })],
  [
    'an issue is known at no host',
    ['S1'],
    ({ facts }) => facts.issues.push({ ...at(facts.issues, 0), externalId: null }),
  ],
  ['a title differs', ['S1'], ({ host }) => Object.assign(at(host.issues, 0), { title: 'there 1' })],
  ['an issue is open on one side only', ['S1'], ({ host }) => Object.assign(at(host.issues, 0), { isOpen: false })],
  ['labels differ', ['S1'], ({ host }) => host.issues[0]?.labels.push('ui')],
  ['a comment is lost', ['S2'], ({ facts }) => facts.comments.pop()],
  [
    'a comment is doubled here',
    ['S2'],
    ({ facts }) => facts.comments.push({ ...at(facts.comments, 0), externalId: null }),
  ],
  ['a comment is doubled there', ['S2'], ({ host }) => host.comments.push({ ...at(host.comments, 0), id: 2002 })],
  ['a delivery counts twice', ['S3'], ({ host }) => host.deliveries[0]?.answers.push('accepted')],
  ['a delivery is not stored', ['S3'], ({ facts }) => facts.deliveryIds.pop()],
  ['a title is told twice', ['S4'], ({ host }) => host.writes.push(at(host.writes, 0))],
  ['a comment is told twice', ['S4'], ({ host }) => host.writes.push(at(host.writes, 1))],
  ['a title comes back', ['S4'], ({ host }) => host.writes.push({ path: '', body: { title: 'there 4' } })],
  ['a status comes back', ['S4'], ({ host }) => host.writes.push({ path: '', body: { state: 'closed' } })],
  ['something was not told', ['S4'], ({ facts }) => facts.pushes.push({ id: 'p', error: 'refused' })],
  ['a sync goes on', ['S5'], ({ facts }) => Object.assign(at(facts.syncs, 0), { status: 'running' })],
  ['the last syncs do not end', ['S5'], ({ work }) => Object.assign(work, { isSettled: false })],
])('it is found when %s', (_what, promises, spoil) => {
  const run = soundRun();
  spoil(run);
  expect(breached(run)).toEqual(promises);
});
