export { type Project, useProjects } from './queries.ts';
