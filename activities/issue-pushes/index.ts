export { createTellHost, type IssuePushDeps } from './tell-host.ts';
