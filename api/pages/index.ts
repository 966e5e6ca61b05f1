export { escapeHtml, htmlPage } from './html-page.ts';
export { joinPage } from './join-page.ts';
export { missingConsolePage } from './missing-console-page.ts';
export { mcpSignInPage } from './mcp-sign-in-page.ts';
export { setPasswordPage } from './set-password-page.ts';
export { SIGN_IN_POLICY, signInPage } from './sign-in-page.ts';
