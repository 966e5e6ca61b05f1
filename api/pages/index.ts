export { escapeHtml, htmlPage } from './html-page.ts';
export { joinPage } from './join-page.ts';
export { setPasswordPage } from './set-password-page.ts';
