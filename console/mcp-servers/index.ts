export { useServers, useServerTools } from './queries.ts';
