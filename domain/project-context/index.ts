export {
  type ContextRepository,
  describeProjects,
  describeProjectStates,
  hasForeignText,
  MAX_CONTEXT_PROJECTS,
  type ProjectContext,
} from './describe-projects.ts';
export { isOwnFolder, outlineOf, rankOfFolder, type RepoEntry, type RepoOutline } from './repo-outline.ts';
