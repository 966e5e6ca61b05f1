import { type FieldNode, Kind, parse, type SelectionSetNode, valueFromASTUntyped } from 'graphql';
import { json, type Reply } from '../outside-server.ts';

type Fields = Readonly<Record<string, unknown>>;

const TEAM = {
  id: 't-1',
  key: 'ENG',
  name: 'Engineering',
  states: { nodes: [{ id: 's-1', name: 'Todo', type: 'unstarted' }] },
  activeCycle: null,
};
const TIMES = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-02T00:00:00Z' };

/**
 * Speaks the part of Linear's GraphQL API that lists, reads and writes issues, by its public schema: connections with
 * cursors, ids that clients choose, errors with extensions. An answer holds what the query selects, and null for what
 * it does not know.
 */
export class LinearApi {
  readonly issues: Fields[] = [];
  readonly comments: Fields[] = [];
  /** The root fields that were asked for, with their arguments. */
  readonly asked: { readonly field: string; readonly args: Fields }[] = [];

  readonly reply: Reply = (response, request) => {
    if (!request.headers.authorization?.startsWith('lin_api_'))
      return json({ errors: [failure('Authentication required', 'AUTHENTICATION_ERROR')] }, 401)(response, request);
    const { query, variables = {} } = JSON.parse(request.body) as { query: string; variables?: Fields };
    try {
      json({ data: this.#answer(query, variables) })(response, request);
    } catch (error) {
      const { message } = error as Error;
      json({ errors: [failure(message, 'INPUT_ERROR')], data: null }, 400)(response, request);
    }
  };

  #answer(query: string, variables: Fields): Fields {
    const { definitions } = parse(query);
    const fragments = new Map(
      definitions.flatMap((each) =>
        each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each.selectionSet]] : [],
      ),
    );
    const operation = definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
    const roots = (operation?.selectionSet.selections ?? []).filter((each) => each.kind === Kind.FIELD);
    return Object.fromEntries(
      roots.map((root) => [root.name.value, select(this.#root(root, variables), root.selectionSet, fragments)]),
    );
  }

  #root(node: FieldNode, variables: Fields): unknown {
    const args = Object.fromEntries(
      (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    );
    this.asked.push({ field: node.name.value, args });
    const input = (args['input'] ?? {}) as Fields;
    switch (node.name.value) {
      case 'issue':
        return found(this.issues, args['id'], 'Issue');
      case 'comment':
        return found(this.comments, args['id'], 'Comment');
      case 'searchIssues':
        return page(
          this.issues.filter(({ title }) => String(title).includes(String(args['term']))),
          args,
        );
      case 'issues':
        return page(this.issues, args);
      case 'teams':
        return page([TEAM], args);
      case 'issueCreate':
        return { success: true, lastSyncId: 1, issue: this.createIssue(input) };
      case 'issueUpdate':
        return { success: true, lastSyncId: 1, issue: this.#updateIssue(args['id'], input) };
      case 'commentCreate':
        return { success: true, lastSyncId: 1, comment: this.#createComment(input) };
      default:
        throw new Error(`Cannot query field "${node.name.value}"`);
    }
  }

  createIssue(input: Fields): Fields {
    refuseKnown(this.issues, input['id']);
    const number = this.issues.length + 1;
    const issue = {
      id: `i-${number}`,
      identifier: `ENG-${number}`,
      number,
      url: `https://linear.app/x/issue/ENG-${number}`,
      priorityLabel: 'No priority',
      state: TEAM.states.nodes[0],
      team: TEAM,
      comments: { nodes: [] },
      labels: { nodes: [] },
      labelIds: [],
      reactions: [],
      sharedAccess: { sharedWithUsers: [], disallowedIssueFields: [] },
      ...TIMES,
      ...input,
    };
    this.issues.push(issue);
    return issue;
  }

  #updateIssue(id: unknown, input: Fields): Fields {
    const issue = found(this.issues, id, 'Issue');
    return Object.assign(issue, input);
  }

  #createComment(input: Fields): Fields {
    refuseKnown(this.comments, input['id']);
    const issue = found(this.issues, input['issueId'], 'Issue');
    const comment = {
      id: `c-${this.comments.length}`,
      url: 'https://linear.app/x',
      issue,
      user: { name: 'Ann' },
      reactions: [],
      ...TIMES,
      ...input,
    };
    this.comments.push(comment);
    (issue['comments'] as { nodes: Fields[] }).nodes.push(comment);
    return comment;
  }
}

function refuseKnown(all: readonly Fields[], id: unknown): void {
  if (id !== undefined && all.some((each) => each['id'] === id)) throw new Error('Entity with this id already exists');
}

function found(all: readonly Fields[], id: unknown, name: string): Fields {
  const one = all.find((each) => each['id'] === id || each['identifier'] === id);
  if (one === undefined) throw new Error(`Entity not found: ${name}`);
  return one;
}

function page(all: readonly Fields[], { first = 50, after }: Fields): Fields {
  const from = after === undefined || after === null ? 0 : Number(after);
  const nodes = all.slice(from, from + Number(first));
  const end = from + nodes.length;
  return { nodes, pageInfo: { hasNextPage: end < all.length, endCursor: String(end), hasPreviousPage: from > 0 } };
}

function select(
  value: unknown,
  selection: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, SelectionSetNode>,
): unknown {
  if (Array.isArray(value)) return value.map((each) => select(each, selection, fragments));
  if (selection === undefined || typeof value !== 'object' || value === null) return value ?? null;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    fieldsIn(selection, fragments).map(({ name, selectionSet }) => [
      name.value,
      select(members.get(name.value), selectionSet, fragments),
    ]),
  );
}

function fieldsIn(selection: SelectionSetNode, fragments: ReadonlyMap<string, SelectionSetNode>): FieldNode[] {
  return selection.selections.flatMap((each) => {
    if (each.kind === Kind.FIELD) return [each];
    const inner = each.kind === Kind.INLINE_FRAGMENT ? each.selectionSet : fragments.get(each.name.value);
    return inner === undefined ? [] : fieldsIn(inner, fragments);
  });
}

function failure(message: string, code: string) {
  return { message, extensions: { code, userPresentableMessage: message } };
}
