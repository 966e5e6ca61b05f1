import type { GitRemote, Refusal } from '../../git-remotes/index.ts';
import type { SandboxEnding, Visit, VisitAnswer } from '../../sandbox/index.ts';
import type { ComputeJob, ComputeOptions } from '../compute/index.ts';

/**
 * Runs a job in a process of bounded memory and returns the JSON of its result. A large job is given as a function,
 * called when its turn comes; `size` is its size until then, in characters.
 */
export type Compute = (job: ComputeJob | (() => Promise<ComputeJob>), options?: ComputeOptions) => Promise<string>;

/** A command for the sandbox. */
export interface ToolCommand {
  /** A program and its arguments, as they are found inside. */
  readonly command: readonly string[];
  /** Whether it sees the workspace, as `/work`, and whether it may change it. */
  readonly workspace: 'none' | 'read' | 'write';
  /** Variables of its environment. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  /** Whether it reaches public addresses over http and https. */
  readonly network?: boolean | undefined;
  /**
   * The one repository of another server that git reaches, by its own address, with credentials of the organization
   * that are not to be found inside.
   */
  readonly remote?: GitRemote | undefined;
}

/** How a command ended. */
export interface CommandEnding extends SandboxEnding {
  /** Whether its output may repeat text from outside. */
  readonly isForeign: boolean;
  /** Why the repository of another server was not reached, where it was not. */
  readonly refusal?: Refusal | undefined;
}

/** Runs a command where it can harm nobody. Throws `ToolFailure` when that cannot be had here. */
export type RunCommand = (command: ToolCommand) => Promise<CommandEnding>;

/**
 * Visits a page of the web with a browser that nobody else uses and that ends with the visit. Throws `ToolFailure` when
 * that cannot be had here, and when the visit came to no end.
 */
export type VisitPage = (visit: Visit) => Promise<VisitAnswer>;
