export { REPO_COLUMNS, REPO_JOIN, type RepoState } from './repo-status.ts';
export {
  askForTree,
  findOverdueTrees,
  findTreeCommit,
  findTreeWait,
  noteTreeFailure,
  type RepositoryState,
  restRepository,
  storeTree,
  trackRepositoriesOf,
  trackRepository,
} from './repo-trees.ts';
