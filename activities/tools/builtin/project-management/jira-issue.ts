import { z } from 'zod';
import { adfToMarkdown } from '../atlassian/adf-to-markdown.ts';
import { pickFields } from '../services/pick-fields.ts';

/** The fields of issues in a list. */
export const BRIEF_FIELDS = [
  'summary',
  'status',
  'issuetype',
  'priority',
  'assignee',
  'project',
  'labels',
  'duedate',
  'updated',
];
/** The fields of one issue. */
export const WHOLE_FIELDS = [
  ...BRIEF_FIELDS,
  'reporter',
  'created',
  'resolution',
  'resolutiondate',
  'parent',
  'subtasks',
  'components',
  'fixVersions',
  'description',
  'comment',
];

const MAX_COMMENTS = 50;
const issue = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.record(z.string(), z.unknown()),
});
const person = z.object({ displayName: z.string() });
const named = z.object({ name: z.string() });
const keyed = z.object({ key: z.string() });
const comments = z.object({
  comments: z.array(
    z.looseObject({ id: z.string(), author: person.nullish(), created: z.string(), body: z.unknown().optional() }),
  ),
});

/** Returns an issue with plain values and its texts in Markdown. */
export function presentIssue(value: unknown): unknown {
  const { data } = issue.safeParse(value);
  if (data === undefined) return pickFields(value, ['id', 'key']);
  const { description, comment, ...fields } = data.fields;
  const plain = Object.entries(fields).map(([name, each]) => [name, plainValue(each)] as const);
  return {
    id: data.id,
    key: data.key,
    ...Object.fromEntries(plain.filter(([, each]) => each !== null && each !== undefined)),
    ...(description !== undefined && description !== null && { description: adfToMarkdown(description) }),
    ...(comment !== undefined && { comments: commentsIn(comment) }),
  };
}

// Jira names a person, a status or another issue with much around the name.
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => plainValue(each));
  return (
    person.safeParse(value).data?.displayName ??
    keyed.safeParse(value).data?.key ??
    named.safeParse(value).data?.name ??
    value
  );
}

function commentsIn(value: unknown) {
  return (comments.safeParse(value).data?.comments ?? []).slice(-MAX_COMMENTS).map(({ id, author, created, body }) => ({
    id,
    author: author?.displayName,
    created,
    body: adfToMarkdown(body),
  }));
}
