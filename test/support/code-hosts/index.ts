export type { ApiCall } from './api-call.ts';
export { githubComment, githubIssue } from './github-api.ts';
export { HOST_TOKEN, HostServer } from './host-server.ts';
export { World, type WorldComment, type WorldIssue } from './world.ts';
