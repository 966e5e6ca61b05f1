export { MCP_SIGN_IN_PATH } from './sign-in.ts';
