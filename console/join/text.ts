import { ownText } from '../core/text/text-context.tsx';

/** Returns what the pages of invites say, in the language of the page. */
export const useJoinText = ownText({
  en: {
    title: 'You are invited',
    invitedTo: (org: string, role: string) => `You are invited to ${org} as ${role === 'admin' ? 'an' : 'a'} ${role}.`,
    accept: (org: string) => `Join ${org}`,
    gone: 'This invite is not valid: it was used, has expired, or is meant for another address.',
    managed: (org: string) =>
      `Your new account will belong to ${org}, which manages it. With an account of your own, sign in first.`,
    signInInstead: 'I have an account: sign in',
    missing: 'This link contains no invite. Ask for it again.',
    managedRefused: 'Your account is managed by an organization, so it cannot join another one.',
  },
});
