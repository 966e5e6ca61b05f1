import { command, missingToken, type OpenedLink, postCommand, tokenOf } from './link-page.ts';
import { htmlPage } from './html-page.ts';

/**
 * Renders the page behind the link of an invite: how to redeem it. The page is the same whether or not the invite
 * exists; nothing is looked up.
 */
export function joinPage(link: OpenedLink): string {
  const { publicUrl } = link;
  const token = tokenOf(link, 'et_inv');
  const account = { email: 'you@example.com', password: 'a password of your own', full_name: 'Your Name' };
  return htmlPage({
    title: 'Join an organization',
    body: `<main><h1>You are invited</h1>
<p>You have been invited to an organization on this Everturn server. An invite is good for one use within seven
days.${missingToken(token, 'et_inv')}</p>
<h2>See what it is for</h2>${command(`curl ${publicUrl}/api/orgs/invite/${token}`)}
<h2>If you have no account here</h2>
<p>This creates one, which the organization manages. An invite for one address accepts that address only.</p>
${postCommand(`${publicUrl}/api/auth/register`, { ...account, invite_token: token })}
<h2>If you have an account</h2>
<p>Sign in with <code>POST /api/auth/login</code>, then join with the access token in its response:</p>
${postCommand(`${publicUrl}/api/orgs/accept-invite`, { token }, 'authorization: Bearer $ACCESS_TOKEN')}
<h2>To sign a device in</h2>
<p>With an invite for one address. The response holds a token for the device and an API key.</p>
${postCommand(`${publicUrl}/api/auth/cli/redeem`, { token, device_name: 'laptop', platform: 'Linux' })}
<p>All requests and responses: <a href="/docs">/docs</a>.</p></main>`,
  });
}
