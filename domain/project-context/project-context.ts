import type { IssueStatus } from '../issues/index.ts';
import type { Priority } from '../priorities/index.ts';
import type { RepoType } from '../projects/index.ts';
import type { TaskStatus } from '../tasks/index.ts';

/** What an agent is told of a project that it works in. */
export interface ProjectContext {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Null when the project has none. */
  readonly repository: ContextRepository | null;
  /** Open issues: those of the agent first, then by state, each the newest first. */
  readonly issues: readonly ContextIssue[];
  /** Whether more issues are open. */
  readonly hasMoreIssues: boolean;
  /** Tasks that are open or have failed, the newest first. */
  readonly tasks: readonly ContextTask[];
}

/** The repository of a project, as it was last read. */
export interface ContextRepository {
  readonly url: string;
  readonly type: RepoType;
  /** Null when it was not read, or has none. */
  readonly defaultBranch: string | null;
  /** The other branches that are named, and whether there are more. */
  readonly branches: readonly string[];
  readonly hasMoreBranches: boolean;
  /** Empty while none was read. */
  readonly outline: string;
  /** Null when they were not counted. */
  readonly files: number | null;
}

/** An issue as an agent is told of it. */
export interface ContextIssue {
  readonly number: number;
  readonly title: string;
  readonly status: IssueStatus;
  readonly priority: Priority;
  /** Whether it is assigned to the agent. */
  readonly isOwn: boolean;
  /** Whether it may repeat text from outside. */
  readonly isForeign: boolean;
}

/** A task as an agent is told of it. */
export interface ContextTask {
  readonly title: string;
  readonly status: TaskStatus;
  /** Whether it is assigned to the agent. */
  readonly isOwn: boolean;
  /** The user whose chat it is in. */
  readonly ownerId: string;
  /** Whether the chat it is in is shared with those who see other members' chats. */
  readonly isShared: boolean;
}

/** Projects that an agent is told of in a chat without one. */
export const MAX_CONTEXT_PROJECTS = 3;
