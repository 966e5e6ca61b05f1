import { endSession, findBrowserSession, openSessionByPassword, prolongBrowserSession } from '../../db/sessions.ts';
import { getUser } from '../../db/users/user.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present } from '../../domain/core/record-names.ts';
import { checkPassword } from '../access/passwords.ts';
import { isTokenValue, newTokenValue, publicPartOf, REFRESH_TOKEN_SECONDS } from '../access/tokens.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { userSchema } from '../users/schema.ts';
import { issueAccessToken, sessionClientOf } from './sessions.ts';
import { accessTokenSchema, browserSignInSchema, loginSchema } from './schema.ts';

/** The path of the three routes to which a browser sends the cookie; no other request contains it. */
const BROWSER_SESSION_PATH = '/api/auth/browser-session';

/**
 * Returns the value of the `Set-Cookie` header that keeps a secret in a browser, or removes it when it is undefined.
 */
function browserCookie(publicUrl: string, secret: string | undefined, lifetimeSeconds: number): string {
  const isSecure = isOverTls(publicUrl);
  return [
    `${cookieName(isSecure)}=${secret ?? ''}`,
    `Path=${BROWSER_SESSION_PATH}`,
    `Max-Age=${secret === undefined ? 0 : lifetimeSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** Returns the secret in a request's `Cookie` header. */
function secretOfCookies(publicUrl: string, header: string | undefined): string | undefined {
  const wanted = `${cookieName(isOverTls(publicUrl))}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
}

// The prefix makes browsers refuse the name to anything but TLS.
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Secure-everturn' : 'everturn';
}

function isOverTls(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

const goesOn = { lifetimeSeconds: REFRESH_TOKEN_SECONDS } as const;
const head = { resource: 'auth', access: 'public', ownPagesOnly: true, tag: 'Authentication' } as const;

/**
 * Sessions of browsers. Their secret is in a cookie that pages cannot read and that is sent to these three routes only;
 * all others ask for an access token, which pages keep in memory. The secret stays the same as long as its session.
 */
export const browserSessionRoutes = [
  defineRoute({
    ...head,
    method: 'post',
    path: BROWSER_SESSION_PATH,
    action: 'login',
    operationId: 'openBrowserSession',
    summary: 'Sign in a browser: the session is kept in a cookie that scripts cannot read',
    body: loginSchema,
    errors: [401],
    response: { status: 200, description: 'An access token, and who signed in', schema: browserSignInSchema },
    handler: async ({ body, ip, header, noteUser, setCookie }, context) => {
      const { database, tokens, publicUrl } = context;
      const checked = await checkPassword(context, { ...body, ip, noteUser });
      const { value, ...browser } = newTokenValue('et_web');
      const opened = { ...goesOn, client: sessionClientOf({ ip, header }), browser };
      const session = checked && (await openSessionByPassword(database, { ...checked, ...opened }));
      if (session === undefined) throw new AppError('unauthenticated', 'The e-mail address or the password is wrong');
      // Without its cookie nobody can use it, but this browser would still be notified.
      const former = await currentSession(context, header('cookie'));
      if (former !== undefined) await endSession(database, former.id);
      setCookie(browserCookie(publicUrl, value, REFRESH_TOKEN_SECONDS));
      const user = present(userSchema, await getUser(database, session.userId));
      return { ...(await issueAccessToken(tokens, session)), user };
    },
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: `${BROWSER_SESSION_PATH}/refresh`,
    action: 'refresh',
    operationId: 'refreshBrowserSession',
    summary: 'Get an access token for the session in the cookie, and its user',
    description: 'The session is extended; its cookie stays the same.',
    audit: false,
    errors: [401],
    response: { status: 200, description: 'An access token, and its user', schema: accessTokenSchema },
    handler: async ({ ip, header, setCookie }, context) => {
      const { database, tokens, publicUrl } = context;
      const current = await currentSession(context, header('cookie'));
      const client = sessionClientOf({ ip, header });
      const session = current && (await prolongBrowserSession(database, current.id, { ...goesOn, client }));
      if (current === undefined || session === undefined)
        throw new AppError('unauthenticated', 'No browser session is open, or it has ended; sign in again');
      setCookie(browserCookie(publicUrl, current.secret, REFRESH_TOKEN_SECONDS));
      return { ...(await issueAccessToken(tokens, session)), user_id: current.userId };
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: BROWSER_SESSION_PATH,
    action: 'logout',
    operationId: 'closeBrowserSession',
    summary: 'Sign out: ends the session in the cookie and its access tokens, and removes the cookie',
    description: 'Succeeds even if there is no such session.',
    response: { status: 204 },
    handler: async ({ header, setCookie, noteUser }, context) => {
      const current = await currentSession(context, header('cookie'));
      if (current !== undefined) {
        noteUser(current.userId);
        await endSession(context.database, current.id);
      }
      setCookie(browserCookie(context.publicUrl, undefined, 0));
    },
  }),
];

async function currentSession({ database, publicUrl }: ApiContext, cookies: string | undefined) {
  const secret = secretOfCookies(publicUrl, cookies);
  const publicId = secret === undefined ? undefined : publicPartOf('et_web', secret);
  if (secret === undefined || publicId === undefined) return undefined;
  const session = await findBrowserSession(database, publicId);
  if (session === undefined || !isTokenValue(secret, session.secretHash)) return undefined;
  return { secret, id: session.id, userId: session.userId };
}
