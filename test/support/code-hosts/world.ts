/** An issue as the tests keep it; each API writes it in its own way. */
export interface WorldIssue {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  isOpen: boolean;
  /** How GitHub says it was closed. */
  reason: string | null;
  labels: string[];
  author: string | null;
  isPullRequest: boolean;
  readonly createdAt: Date;
  updatedAt: Date;
}

export interface WorldComment {
  readonly id: number;
  readonly issueNumber: number;
  body: string;
  author: string | null;
  /** What GitLab itself notes. */
  isSystem: boolean;
  readonly createdAt: Date;
  updatedAt: Date;
}

const START = Date.UTC(2026, 0, 1);

/** A repository with issues and comments, and a clock that goes on by a second with each change. */
export class World {
  readonly repoId: number;
  /** The path of the repository. Former ones lead on to it. */
  path: string;
  readonly formerPaths: string[] = [];
  readonly issues: WorldIssue[] = [];
  readonly comments: WorldComment[] = [];
  #seconds = 0;
  #lastId: number;

  /** Makes a repository without issues. Ids of records are unique at a host, so others there begin with another one. */
  constructor({ repoId = 4_242, path = 'example/website', lastId = 1_000 } = {}) {
    this.repoId = repoId;
    this.path = path;
    this.#lastId = lastId;
  }

  /** The time after one more second. */
  tick(seconds = 1): Date {
    this.#seconds += seconds;
    return this.now();
  }

  now(): Date {
    return new Date(START + this.#seconds * 1_000);
  }

  addIssue(fields: Partial<WorldIssue> = {}): WorldIssue {
    const now = this.tick();
    const issue: WorldIssue = {
      id: this.nextId(),
      number: this.issues.length + 1,
      title: `Issue ${this.issues.length + 1}`,
      body: 'What is to be done.',
      isOpen: true,
      reason: null,
      labels: [],
      author: 'octocat',
      isPullRequest: false,
      createdAt: now,
      updatedAt: now,
      ...fields,
    };
    this.issues.push(issue);
    return issue;
  }

  issue(number: number): WorldIssue {
    const issue = this.issues[number - 1];
    if (issue === undefined) throw new Error(`there is no issue ${number}`);
    return issue;
  }

  /** Changes the comment that was added as this one, and with it when its issue was changed. */
  edit(number: number, body: string): void {
    const comment = this.comments[number - 1];
    if (comment === undefined) throw new Error(`there are not ${number} comments`);
    Object.assign(comment, { body, updatedAt: this.tick() });
    this.change(this.issue(comment.issueNumber), {});
  }

  change(issue: WorldIssue, fields: Partial<WorldIssue>): void {
    Object.assign(issue, { updatedAt: this.tick(), ...fields });
  }

  addComment(issueNumber: number, fields: Partial<WorldComment> = {}): WorldComment {
    const now = this.tick();
    const comment: WorldComment = {
      id: this.nextId(),
      issueNumber,
      body: 'A comment.',
      author: 'octocat',
      isSystem: false,
      createdAt: now,
      updatedAt: now,
      ...fields,
    };
    this.comments.push(comment);
    const issue = this.issues.find(({ number }) => number === issueNumber);
    if (issue !== undefined) issue.updatedAt = now;
    return comment;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}
