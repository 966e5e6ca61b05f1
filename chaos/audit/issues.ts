import { contentOf, markedId } from '../../domain/issue-sync/remote-records.ts';
import type { Queried } from '../installation/installation.ts';
import type { HostFacts } from '../host.ts';
import type { IssueWork } from '../work/work-on-issues.ts';
import type { Verdict } from './facts.ts';

/** What both sides have in the end, and what the user here did. */
export interface IssueEvidence {
  readonly facts: IssueFacts;
  readonly host: HostFacts;
  readonly work: IssueWork;
}

const CLOSED = new Set(['done', 'cancelled']);

/** Checks S1 to S5: issues are kept in step with their host. Not applicable to a run without issues. */
export function issueVerdicts(evidence: IssueEvidence | undefined): Verdict[] {
  return CHECKS.map(({ promise, claim, check }) => {
    if (evidence === undefined) return { promise, claim, figure: 'no issues in this run', breaches: undefined };
    return { promise, claim, ...check(evidence) };
  });
}

type Found = Pick<Verdict, 'figure'> & { readonly breaches: readonly string[] };

const OURS = /^here \d+$/;

const CHECKS: readonly {
  readonly promise: string;
  readonly claim: string;
  readonly check: (evidence: IssueEvidence) => Found;
}[] = [
  { promise: 'S1', claim: 'an issue of the host is here once, and as it is there', check: issuesInStep },
  { promise: 'S2', claim: 'a comment is on both sides, once', check: commentsOnce },
  { promise: 'S3', claim: 'a delivery of the webhook counts once', check: deliveriesOnce },
  { promise: 'S4', claim: 'a change reaches the host once, and nothing runs in a circle', check: writesOnce },
  { promise: 'S5', claim: 'a sync comes to its end', check: syncsEnd },
];

function issuesInStep({ facts, host }: IssueEvidence): Found {
  const here = Map.groupBy(facts.issues, ({ externalId }) => externalId ?? '');
  const known = new Set(host.issues.map(({ id }) => String(id)));
  const breaches = host.issues.flatMap(({ id, number, title, isOpen, labels }) => {
    const name = `issue ${number}`;
    const [issue, ...others] = here.get(String(id)) ?? [];
    if (issue === undefined) return [`${name} is not here`];
    return [
      ...(others.length > 0 ? [`${name} is here ${others.length + 1} times`] : []),
      ...(issue.title === title ? [] : [`${name} is "${issue.title}" here and "${title}" there`]),
      ...(CLOSED.has(issue.status) === !isOpen ? [] : [`${name} is ${issue.status} here and open there: ${isOpen}`]),
      ...(isSame(issue.labels, labels)
        ? []
        : [`${name} has the labels ${issue.labels.join()} here and ${labels.join()} there`]),
    ];
  });
  const strange = facts.issues.filter(({ externalId }) => externalId === null || !known.has(externalId));
  return {
    figure: `${facts.issues.length} here, ${host.issues.length} there`,
    breaches: [...breaches, ...strange.map(({ id }) => `the issue ${id} is not there`)],
  };
}

function commentsOnce({ facts, host, work }: IssueEvidence): Found {
  const here = new Map(facts.comments.map((comment) => [comment.externalId ?? '', comment]));
  const said = Map.groupBy(facts.comments, ({ content }) => content);
  const breaches = host.comments.flatMap(({ id, body }) => {
    const comment = here.get(String(id));
    if (comment === undefined) return [`the comment ${id} is not here`];
    return comment.content === contentOf(body) ? [] : [`the comment ${id} says something else here`];
  });
  const written = work.deeds.filter(({ kind }) => kind === 'comment');
  const lost = written.filter(({ text }) => said.get(text)?.length !== 1);
  const doubled = [...said].filter(([, same]) => same.length > 1);
  return {
    figure: `${facts.comments.length} here, ${host.comments.length} there, ${written.length} of them written here`,
    breaches: [
      ...breaches,
      ...facts.comments.flatMap(({ id, externalId }) =>
        externalId === null ? [`the comment ${id} is not there`] : [],
      ),
      ...lost.map(({ text }) => `"${text}" was acknowledged and is here ${said.get(text)?.length ?? 0} times`),
      ...doubled.map(([text, same]) => `"${text}" is here ${same.length} times`),
    ],
  };
}

// Of an answer that was lost nobody can say what it was.
function deliveriesOnce({ facts, host }: IssueEvidence): Found {
  const stored = new Set(facts.deliveryIds);
  const answered = host.deliveries.reduce((sum, { answers }) => sum + answers.length, 0);
  return {
    figure: `${host.deliveries.length} deliveries, answered ${answered} times; ${facts.deliveryIds.length} stored`,
    breaches: [
      ...host.deliveries.flatMap(({ id, answers }) => {
        const accepted = answers.filter((answer) => answer === 'accepted').length;
        return [
          ...(accepted > 1 ? [`${id} was accepted ${accepted} times`] : []),
          ...(stored.has(id) ? [] : [`${id} is not stored, and was answered: ${answers.join(', ')}`]),
        ];
      }),
      ...(stored.size === facts.deliveryIds.length ? [] : ['a delivery is stored twice']),
    ],
  };
}

function writesOnce({ facts, host }: IssueEvidence): Found {
  const titles = host.writes.flatMap(({ body }) => (typeof body['title'] === 'string' ? [body['title']] : []));
  const bodies = host.writes.flatMap(({ body }) => (typeof body['body'] === 'string' ? [body['body']] : []));
  const ids = bodies.map((body) => markedId(body) ?? '');
  const states = host.writes.filter(({ body }) => body['state'] !== undefined);
  return {
    figure: `${titles.length} titles and ${bodies.length} comments told, of ${host.writes.length} requests that change something`,
    breaches: [
      ...repeated(titles).map((title) => `the title "${title}" was told more than once`),
      ...titles.filter((title) => !OURS.test(title)).map((title) => `"${title}" was not written here, and was told`),
      ...repeated(ids).map((id) => `the comment ${id} was told more than once`),
      ...states.map(({ path, body }) => `${path} was told that it is ${String(body['state'])}, which nobody did here`),
      ...facts.pushes.map(({ id, error }) => `${id} was not told: ${error ?? 'it waits'}`),
    ],
  };
}

function syncsEnd({ facts, work }: IssueEvidence): Found {
  const unfinished = facts.syncs.filter(({ status }) => status !== 'completed');
  return {
    figure: `${facts.syncs.length} syncs stored of ${work.syncIds.size}`,
    breaches: [
      ...(work.isSettled ? [] : ['the last two syncs did not come to an end in time']),
      ...unfinished.map(({ id, status, error }) => `the sync ${id} is ${status}: ${error}`),
      ...(facts.syncs.length > 0 ? [] : ['no sync is stored']),
    ],
  };
}

function repeated(texts: readonly string[]): string[] {
  return [...Map.groupBy(texts, (text) => text)].filter(([, same]) => same.length > 1).map(([text]) => text);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());
}

/** What is stored of an issue of the code host. */
interface IssueFact {
  readonly id: string;
  /** Its id at the host; null for one that is known at no host. */
  readonly externalId: string | null;
  readonly title: string;
  readonly status: string;
  readonly labels: readonly string[];
}

/** A stored comment. */
interface CommentFact {
  readonly id: string;
  /** Its id at the host; null for one that is known at no host. */
  readonly externalId: string | null;
  readonly content: string;
}

/** All that is stored of issues and of what keeps them in step with their host. */
interface IssueFacts {
  readonly issues: readonly IssueFact[];
  readonly comments: readonly CommentFact[];
  readonly deliveryIds: readonly string[];
  readonly syncs: readonly { readonly id: string; readonly status: string; readonly error: string | null }[];
  /** What the host is still to be told, or has refused. */
  readonly pushes: readonly { readonly id: string; readonly error: string | null }[];
}

/** Reads the record of the issues. */
export async function readIssueFacts(stack: Queried): Promise<IssueFacts> {
  const deliveries = await stack.query<{ id: string }>('select delivery_id as id from host_deliveries');
  return {
    issues: await stack.query(`select i.id, r.external_id as "externalId", i.title, i.status, i.labels
      from issues i left join remote_issues r on r.issue_id = i.id`),
    comments: await stack.query(`select k.id, r.external_id as "externalId", k.content
      from issue_comments k left join remote_comments r on r.comment_id = k.id`),
    deliveryIds: deliveries.map(({ id }) => id),
    syncs: await stack.query('select id, status, error from project_syncs'),
    pushes: await stack.query('select id, error from issue_pushes'),
  };
}
