export { REPO_COLUMNS, REPO_JOIN, type RepoState } from './repo-status.ts';
export {
  askForTree,
  findTreeCommit,
  noteTreeFailure,
  type RepositoryState,
  restRepository,
  storeTree,
  takeDueTrees,
  trackRepositoriesOf,
  trackRepository,
} from './repo-trees.ts';
