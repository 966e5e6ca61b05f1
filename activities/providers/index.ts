export { createCallProvider } from './call-provider.ts';
