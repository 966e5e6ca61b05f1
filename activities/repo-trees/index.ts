export { createFetchRepoTree } from './read-repository.ts';
