export { describeProjects, describeProjectStates, hasForeignText } from './describe-projects.ts';
export { type ContextRepository, MAX_CONTEXT_PROJECTS, type ProjectContext } from './project-context.ts';
export { isOwnFolder, rankOfFolder, type RepoEntry } from './repo-entry.ts';
export { outlineOf, type RepoOutline } from './repo-outline.ts';
