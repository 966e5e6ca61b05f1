import { missingToken, type OpenedLink, postCommand, tokenOf } from './link-page.ts';
import { htmlPage } from './html-page.ts';

/**
 * Renders the page behind a password link: how to set the password. The page is the same whether or not the link is
 * valid; nothing is looked up.
 */
export function setPasswordPage(link: OpenedLink): string {
  const token = tokenOf(link, 'et_pwd');
  return htmlPage({
    title: 'Set a password',
    body: `<main><h1>Set a password</h1>
<p>An administrator of your organization on this Everturn server made this link for you. It is good for one use within 24
hours.${missingToken(token, 'et_pwd')}</p>
${postCommand(`${link.publicUrl}/api/auth/password`, { token, password: 'a password of your own' })}
<p>You are then signed out everywhere; sign in with <code>POST /api/auth/login</code>.</p>
<p>All requests and responses: <a href="/docs">/docs</a>.</p></main>`,
  });
}
