import './core/stack-traces.ts';

export { conversation } from './turns/conversation.ts';
export { subAgent } from './turns/sub-agent.ts';
export { purgeOrg } from './orgs/purge-org.ts';
export { probeProvider } from './providers/probe-provider.ts';
