export { createFetchRepoTree } from './fetch-repo-tree.ts';
