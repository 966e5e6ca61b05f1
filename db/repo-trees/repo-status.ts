import type { RepoStatus } from '../../domain/projects/index.ts';

/** How the repository of a project stands. */
export interface RepoState {
  readonly repoStatus: RepoStatus;
  /** Why it could not be read when that was last tried. */
  readonly repoError: string | null;
  /** When its host last told the state. */
  readonly repoFetchedAt: Date | null;
  readonly repoBranch: string | null;
  /** The commit whose files agents are told of. */
  readonly repoCommit: string | null;
}

/** Returns, in SQL, how the repository of `projects p` stands; `repo_trees t` is joined by `REPO_JOIN`. */
export const REPO_COLUMNS = `case when t.project_id is null then 'none' when t.error is not null then 'failed'
    when t.fetched_at is null then 'pending' when t.commit_id is null then 'empty' else 'ready' end as "repoStatus",
  t.error as "repoError", t.fetched_at as "repoFetchedAt", t.default_branch as "repoBranch", t.commit_id as "repoCommit"`;
export const REPO_JOIN = 'left join repo_trees t on t.project_id = p.id';
