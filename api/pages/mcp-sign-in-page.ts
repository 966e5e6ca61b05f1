import { postCommand } from './link-page.ts';
import { htmlPage } from './html-page.ts';

/**
 * Renders the page that the authorization server of an MCP server sends a person back to. It is the same for everybody:
 * what the address holds is worth something to the person who began the sign-in only.
 */
export function mcpSignInPage({ publicUrl }: { readonly publicUrl: string }): string {
  const address = `${publicUrl}/api/mcp-servers/THE_SERVER/oauth/finish`;
  const body = { callback_url: 'THE_ADDRESS_OF_THIS_PAGE' };
  return htmlPage({
    title: 'Signed in at an MCP server',
    body: `<main><h1>One more step</h1>
<p>The authorization server of an MCP server has sent you back. Finish within ten minutes, as the user who began the sign-in: send
the whole address of this page, as it stands in the address bar.</p>
${postCommand(address, body, 'authorization: Bearer $ACCESS_TOKEN')}
<p>All requests and responses: <a href="/docs">/docs</a>.</p></main>`,
  });
}
