import { ownText } from '../core/text/text-context.tsx';

/** Returns what the page of a password link says, in the language of the page. */
export const useSetPasswordText = ownText({
  en: {
    title: 'Set your password',
    lead: 'An administrator of your organization made this link for you. It ends all your sign-ins.',
    password: 'New password',
    rule: 'At least 8 characters.',
    set: 'Set the password',
    gone: 'This link is not valid: it was used, replaced by a newer one, or has expired. Ask for another one.',
    missing: 'This address contains no link. Open the link that you were given again.',
    done: 'Your password was set. Sign in with it.',
    signIn: 'Sign in',
  },
});
